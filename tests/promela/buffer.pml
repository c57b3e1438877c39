/* Producers and consumers who never stop share a buffer of two places: the twin of
   programs/counts/buffer.c. A condition is a count of waiting threads and one of wake-ups that are
   on their way; whoever waits gives the lock back in the same step. */
#ifndef P
#define P 3
#endif
#ifndef C
#define C 2
#endif

bool locked;
byte filled;
byte waiting[2], woken[2];

#define NOT_FULL 0
#define NOT_EMPTY 1

inline lock() { atomic { !locked -> locked = true } }
inline wait(which) {
	atomic { locked = false; waiting[which]++ };
	atomic { woken[which] > 0 -> woken[which]-- };
	lock()
}
inline wake(which) {
	atomic {
		if
		:: waiting[which] > 0 -> waiting[which]--; woken[which]++
		:: else
		fi
	}
}

proctype produce()
{
	do
	:: lock();
	   do
	   :: filled == 2 -> wait(NOT_FULL)
	   :: else -> break
	   od;
	   atomic { filled++; wake(NOT_EMPTY) };
	   locked = false
	od
}

proctype consume()
{
	do
	:: lock();
	   do
	   :: filled == 0 -> wait(NOT_EMPTY)
	   :: else -> break
	   od;
	   atomic { filled--; wake(NOT_FULL) };
	   locked = false
	od
}

init {
	byte i;
	for (i : 1 .. P) {
		run produce()
	}
	for (i : 1 .. C) {
		run consume()
	}
}
