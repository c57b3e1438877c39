/* Philosophers who eat once: the twin of examples/philosophers.c. With CAREFUL the last one takes
   the forks the other way round. Taking a fork is one step, as locking a mutex is. */
#ifndef N
#define N 3
#endif

bool taken[N];

inline take(which) { atomic { !taken[which] -> taken[which] = true } }

proctype philosopher(byte first; byte second)
{
	take(first);
	take(second);
	taken[second] = false;
	taken[first] = false
}

init {
	byte i;
	atomic {
		for (i : 0 .. N - 2) {
			run philosopher(i, i + 1)
		}
#ifdef CAREFUL
		run philosopher(0, N - 1)
#else
		run philosopher(N - 1, 0)
#endif
	}
}
