// Atomic operations under names of a project's own, as a program finds them in a header.
#define ONCE_READ(variable) __atomic_load_n(&(variable), __ATOMIC_ACQUIRE)
#define ONCE_STORE(variable, value) __atomic_store_n(&(variable), value, __ATOMIC_RELEASE)
#define BUMP(variable) ((variable)++)
