/* Peterson's lock, taken for ever by two threads: the twin of programs/counts/peterson.c. */
bool wants[2];
bit turn;

active [2] proctype worker()
{
	do
	:: wants[_pid] = true;
	   turn = 1 - _pid;
	   do
	   :: !wants[1 - _pid] -> break
	   :: wants[1 - _pid] ->
	      if
	      :: turn == _pid -> break
	      :: else -> skip
	      fi
	   od;
	   wants[_pid] = false
	od
}
