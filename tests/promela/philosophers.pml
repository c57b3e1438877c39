/* Philosophers who never stop, the last of whom takes the right fork first: the twin of
   programs/counts/philosophers.c. A fork is taken in one step, as a mutex is. */
#ifndef N
#define N 6
#endif

bool taken[N];

inline take(which) { atomic { !taken[which] -> taken[which] = true } }

proctype philosopher(byte first; byte second)
{
	do
	:: take(first);
	   take(second);
	   taken[second] = false;
	   taken[first] = false
	od
}

init {
	byte i;
	for (i : 0 .. N - 2) {
		run philosopher(i, i + 1)
	}
	run philosopher(0, N - 1)
}
