/* Threads that add to one counter under a lock: the twin of programs/counts/counter.c. */
#ifndef N
#define N 5
#endif
#ifndef TIMES
#define TIMES 4
#endif

bool locked;
short counter;
byte running;

proctype add()
{
	byte i;
	do
	:: atomic { i < TIMES && !locked -> locked = true };
	   atomic { counter++; locked = false; i++ }
	:: atomic { i == TIMES -> running--; break }
	od
}

init {
	byte i;
	running = N;
	for (i : 1 .. N) {
		run add()
	}
	running == 0;
	assert(counter == N * TIMES)
}
