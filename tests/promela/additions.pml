/* Threads that add to one counter under a lock, reading and writing it in two steps as processors
   do: the twin of examples/benchmarks/counter.c. */
#ifndef N
#define N 3
#endif
#ifndef K
#define K 2
#endif

bool locked;
short counter;
byte running;

proctype add()
{
	byte i;
	short value;
	do
	:: i < K ->
	   atomic { !locked -> locked = true };
	   value = counter;
	   counter = value + 1;
	   locked = false;
	   i++
	:: else -> break
	od;
	running--
}

init {
	byte i;
	atomic {
		running = N;
		for (i : 1 .. N) {
			run add()
		}
	}
	running == 0;
	assert(counter == N * K)
}
