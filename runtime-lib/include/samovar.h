/* samovar.h: statements for the model checker samovar, in C (from C99 on) and C++ (from C++11 on).
 *
 * A program with these statements is an ordinary program: compiled once, it runs natively, where
 * the statements do nothing or the obvious, and it is checked by `samovar check`, where they mean
 * what is said below. Nothing has to be linked. They are made for gcc and clang on x86-64; on
 * other processors the program behaves as it does natively.
 *
 *   statement                when checked                               natively
 *   VASSERT(e)               e is false: an error of kind assertion     message and abort()
 *   BEGINATOMIC ENDATOMIC    no thread switch in between                nothing
 *   RANGE(var, min, max)     var takes every value from min to max      var = min
 *   samovar_choose(n)        every number from 0 to n - 1               0
 *   samovar_assume(e)        e is false: this path does not count       ends the process, status 0
 *   samovar_unreachable()    getting here is an error (assertion)       message and abort()
 *   VLOCK(p) VUNLOCK(p)      *p is this thread's alone in between       a lock
 *   samovar_progress()       a cycle through here is no livelock        nothing
 *   samovar_ignore(p, len)   these bytes are no part of the state       nothing
 *   samovar_thread_name(s)   what reports call this thread              nothing
 *   samovar_present()        1                                          0
 *
 *   for `samovar plan`       what it says                               natively
 *   samovar_action(s, ...)   a step of a plan: its name and numbers     nothing
 *   SUGGEST(p)               *p is where this agent reads suggestions   nothing
 *   SUGGEST_OR_WAIT(p, v)    the same, and v in *p tells it to wait     nothing
 *   samovar_busy()           this agent (thread) has something to do    nothing
 *   samovar_idle()           this agent has nothing to do               nothing
 *   samovar_evaluate(v)      how good the present state is              nothing
 *   samovar_grid(w, h, map)  the world is a grid; map: w * h characters nothing
 *   samovar_place(s, x, y)   the piece called s is at column x, row y   nothing
 *
 * BEGINATOMIC and ENDATOMIC are statements by themselves, with or without a semicolon. Inside a
 * region another BEGINATOMIC has no effect, and the first ENDATOMIC ends it. A thread that would
 * have to wait inside a region is put back to before the region, and tries again later.
 *
 * VLOCK(p) waits while another thread has locked a part of *p. While it is locked, an access by
 * another thread is a privilege violation; so is VUNLOCK by a thread that has not locked it.
 *
 * RANGE with max < min, and samovar_choose(0), leave no choice: the path ends as after a false
 * assumption. At most 2^32 - 1 alternatives.
 *
 * Define SAMOVAR_LONG_NAMES before the inclusion if the names in capitals are in the way: every
 * one of them has a twin that begins with samovar_.
 */
#ifndef SAMOVAR_H
#define SAMOVAR_H

#include <stdio.h>
#include <stdlib.h>

/* Requests ------------------------------------------------------------------------------------ */

#define SAMOVAR_PRESENT_ 1
#define SAMOVAR_ASSERTION_ 2
#define SAMOVAR_UNREACHABLE_ 3
#define SAMOVAR_PRUNE_ 4
#define SAMOVAR_ATOMIC_BEGIN_ 5
#define SAMOVAR_ATOMIC_END_ 6
#define SAMOVAR_CHOOSE_ 7
#define SAMOVAR_VALUE_ 8
#define SAMOVAR_LOCK_ 9
#define SAMOVAR_UNLOCK_ 10
#define SAMOVAR_PROGRESS_ 11
#define SAMOVAR_IGNORE_ 12
#define SAMOVAR_NAME_ 13
#define SAMOVAR_ACTION_ 14
#define SAMOVAR_SUGGEST_ 15
#define SAMOVAR_BUSY_ 16
#define SAMOVAR_EVALUATE_ 17
#define SAMOVAR_GRID_ 18
#define SAMOVAR_PLACE_ 19

typedef unsigned long long samovar_word_;

#define SAMOVAR_NUMBER_(request) (0x53414d4f00000000ull | (samovar_word_)(request))

/* The answer to a request; the request's own number if nobody answers. The instruction is a long
 * nop whose displacement spells SAMO. */
#if defined(__x86_64__) && defined(__GNUC__)
#define SAMOVAR_REQUEST_(request, a, b, c)                                                         \
    __extension__({                                                                                \
        samovar_word_ samovar_answer_ = SAMOVAR_NUMBER_(request);                                  \
        samovar_word_ samovar_a_ = (samovar_word_)(a);                                             \
        samovar_word_ samovar_b_ = (samovar_word_)(b);                                             \
        samovar_word_ samovar_c_ = (samovar_word_)(c);                                             \
        __asm__ __volatile__(".byte 0x0f, 0x1f, 0x80, 0x53, 0x41, 0x4d, 0x4f"                      \
                             : "+a"(samovar_answer_)                                               \
                             : "D"(samovar_a_), "S"(samovar_b_), "d"(samovar_c_)                   \
                             : "memory");                                                          \
        samovar_answer_;                                                                           \
    })
#else
#define SAMOVAR_REQUEST_(request, a, b, c)                                                         \
    ((void)(a), (void)(b), (void)(c), SAMOVAR_NUMBER_(request))
#endif

#define SAMOVAR_UNUSED_ __attribute__((__unused__))
#define SAMOVAR_COLD_ __attribute__((__unused__, __noinline__, __cold__, __noreturn__))

/* A request that has no answer. */
#define SAMOVAR_TELL_(request, a, b, c) ((void)SAMOVAR_REQUEST_(request, a, b, c))

/* The answer to a request, or something else if nobody answers. */
static inline SAMOVAR_UNUSED_ samovar_word_ samovar_or_(samovar_word_ answer,
                                                        samovar_word_ request,
                                                        samovar_word_ otherwise)
{
    return answer == SAMOVAR_NUMBER_(request) ? otherwise : answer;
}

/* What happens natively ----------------------------------------------------------------------- */

static SAMOVAR_COLD_ void samovar_failed_(const char *text, const char *file, int line)
{
    fflush(stdout);
    fprintf(stderr, "%s:%d: VASSERT(%s) failed\n", file, line, text);
    abort();
}

static SAMOVAR_COLD_ void samovar_reached_(const char *file, int line)
{
    fflush(stdout);
    fprintf(stderr, "%s:%d: a place marked as unreachable was reached\n", file, line);
    abort();
}

static SAMOVAR_COLD_ void samovar_pruned_(void)
{
    fflush(stdout);
    _Exit(0);
}

/* Assertions and assumptions ------------------------------------------------------------------ */

#define samovar_assert(e)                                                                          \
    ((e) ? (void)0                                                                                 \
         : (SAMOVAR_TELL_(SAMOVAR_ASSERTION_, #e, __FILE__, __LINE__),                             \
            samovar_failed_(#e, __FILE__, __LINE__)))

#define samovar_unreachable()                                                                      \
    (SAMOVAR_TELL_(SAMOVAR_UNREACHABLE_, 0, __FILE__, __LINE__),                                   \
     samovar_reached_(__FILE__, __LINE__))

#define samovar_assume(e)                                                                          \
    ((e) ? (void)0 : (SAMOVAR_TELL_(SAMOVAR_PRUNE_, 0, 0, 0), samovar_pruned_()))

/* Choices ------------------------------------------------------------------------------------- */

/* The compiler is told that scratch registers are lost here, and the checker that they may be: what
 * happens to be left in them must not make equal states differ. A function of its own, so that
 * nothing below its stack pointer is needed afterwards, either. */
#if defined(__x86_64__) && defined(__GNUC__)
#ifdef __SSE2__
#define SAMOVAR_VECTORS_                                                                           \
    , "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",     \
        "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#else
#define SAMOVAR_VECTORS_
#endif
static SAMOVAR_UNUSED_ __attribute__((__noinline__)) samovar_word_
samovar_choice_(samovar_word_ alternatives)
{
    samovar_word_ samovar_answer_ = SAMOVAR_NUMBER_(SAMOVAR_CHOOSE_);
    samovar_word_ samovar_none_ = 0;
    samovar_word_ samovar_lost_ = 0x4c4f5354; /* LOST */
    __asm__ __volatile__(".byte 0x0f, 0x1f, 0x80, 0x53, 0x41, 0x4d, 0x4f"
                         : "+a"(samovar_answer_), "+D"(alternatives), "+S"(samovar_none_),
                           "+d"(samovar_lost_)
                         :
                         : "memory", "cc", "rcx", "r8", "r9", "r10", "r11" SAMOVAR_VECTORS_);
    return samovar_or_(samovar_answer_, SAMOVAR_CHOOSE_, 0);
}
#else
#define samovar_choice_(alternatives) ((void)(alternatives), (samovar_word_)0)
#endif

#define samovar_choose(n) ((unsigned)samovar_choice_((samovar_word_)(n)))

/* A number from min to max. */
#define samovar_range(min, max)                                                                    \
    __extension__({                                                                                \
        const long long samovar_min_ = (long long)(min);                                           \
        const long long samovar_max_ = (long long)(max);                                           \
        samovar_min_ + (long long)samovar_choose(                                                  \
                           samovar_max_ < samovar_min_                                             \
                               ? 0                                                                 \
                               : (samovar_word_)samovar_max_ - (samovar_word_)samovar_min_ + 1);   \
    })

/* Atomic regions ------------------------------------------------------------------------------ */

#define samovar_begin_atomic() SAMOVAR_TELL_(SAMOVAR_ATOMIC_BEGIN_, 0, 0, 0)
#define samovar_end_atomic() SAMOVAR_TELL_(SAMOVAR_ATOMIC_END_, 0, 0, 0)

/* Privileges ---------------------------------------------------------------------------------- */

#define samovar_lock(p, len)                                                                       \
    (SAMOVAR_REQUEST_(SAMOVAR_LOCK_, p, len, 0) == SAMOVAR_NUMBER_(SAMOVAR_LOCK_)                  \
         ? samovar_native_lock_((const volatile void *)(p))                                        \
         : (void)0)
#define samovar_unlock(p, len)                                                                     \
    (SAMOVAR_REQUEST_(SAMOVAR_UNLOCK_, p, len, 0) == SAMOVAR_NUMBER_(SAMOVAR_UNLOCK_)              \
         ? samovar_native_unlock_((const volatile void *)(p))                                      \
         : (void)0)

/* Natively a small table of what is locked, one for the whole program. Regions are told apart by
 * their first byte; what does not fit into the table is not locked. */
#if defined(__x86_64__) && defined(__GNUC__)
enum { SAMOVAR_NATIVE_LOCKS_ = 64 };
struct samovar_native_ {
    int busy;
    struct {
        const volatile void *region;
        const void *holder;
    } locks[SAMOVAR_NATIVE_LOCKS_];
};
#ifdef __cplusplus
extern "C" {
#endif
/* Weak: one table even if several files include this header. */
__attribute__((__weak__)) struct samovar_native_ samovar_native_table_;
#ifdef __cplusplus
}
#endif

/* A number of the calling thread. */
static inline SAMOVAR_UNUSED_ const void *samovar_me_(void)
{
    const void *me;
    __asm__("movq %%fs:0, %0" : "=r"(me));
    return me;
}

static inline SAMOVAR_UNUSED_ void samovar_enter_(void)
{
    while (__atomic_exchange_n(&samovar_native_table_.busy, 1, __ATOMIC_ACQUIRE))
        __builtin_ia32_pause();
}

static inline SAMOVAR_UNUSED_ void samovar_leave_(void)
{
    __atomic_store_n(&samovar_native_table_.busy, 0, __ATOMIC_RELEASE);
}

/* Whether the region is the caller's now. */
static inline SAMOVAR_UNUSED_ int samovar_native_try_(const volatile void *region)
{
    int unused = -1;
    for (int i = 0; i < SAMOVAR_NATIVE_LOCKS_; i++) {
        if (samovar_native_table_.locks[i].region == region)
            return samovar_native_table_.locks[i].holder == samovar_me_();
        if (!samovar_native_table_.locks[i].region)
            unused = i;
    }
    if (0 <= unused) {
        samovar_native_table_.locks[unused].region = region;
        samovar_native_table_.locks[unused].holder = samovar_me_();
    }
    return 1;
}

static SAMOVAR_UNUSED_ void samovar_native_lock_(const volatile void *region)
{
    for (;;) {
        int mine;
        samovar_enter_();
        mine = samovar_native_try_(region);
        samovar_leave_();
        if (mine)
            return;
        __builtin_ia32_pause();
    }
}

static SAMOVAR_UNUSED_ void samovar_native_unlock_(const volatile void *region)
{
    samovar_enter_();
    for (int i = 0; i < SAMOVAR_NATIVE_LOCKS_; i++)
        if (samovar_native_table_.locks[i].region == region
            && samovar_native_table_.locks[i].holder == samovar_me_())
            samovar_native_table_.locks[i].region = 0;
    samovar_leave_();
}
#else
#define samovar_native_lock_(region) ((void)(region))
#define samovar_native_unlock_(region) ((void)(region))
#endif

/* Marks --------------------------------------------------------------------------------------- */

#define samovar_progress() SAMOVAR_TELL_(SAMOVAR_PROGRESS_, 0, 0, 0)
#define samovar_ignore(p, len) SAMOVAR_TELL_(SAMOVAR_IGNORE_, p, len, 0)
#define samovar_thread_name(name) SAMOVAR_TELL_(SAMOVAR_NAME_, name, 0, 0)
#define samovar_present()                                                                          \
    ((int)samovar_or_(SAMOVAR_REQUEST_(SAMOVAR_PRESENT_, 0, 0, 0), SAMOVAR_PRESENT_, 0))

/* Planning ------------------------------------------------------------------------------------ */

/* What is left in the frame must not make equal states differ. */
#define SAMOVAR_WIPE_(array)                                                                       \
    (__builtin_memset(array, 0, sizeof array), SAMOVAR_KEEP_(array))
#define SAMOVAR_KEEP_(array)                                                                       \
    __extension__({ __asm__ __volatile__("" : : "r"(array) : "memory"); })

#define SAMOVAR_FIRST_(first, ...) first
#define SAMOVAR_REST_(first, ...) __VA_ARGS__

/* The name and up to 15 numbers: samovar_action("move", from, to). */
#if !defined(__x86_64__) || !defined(__GNUC__)
#define samovar_action(...) ((void)0)
#elif defined(__cplusplus)
template <typename... samovar_numbers_>
static inline void samovar_action(const char *name, samovar_numbers_... numbers)
{
    long long samovar_values_[] = {(long long)name, (long long)numbers...};
    SAMOVAR_TELL_(SAMOVAR_ACTION_, samovar_values_, sizeof samovar_values_ / 8, 0);
    SAMOVAR_WIPE_(samovar_values_);
}
#else
#define samovar_action(...)                                                                        \
    __extension__({                                                                                \
        long long samovar_values_[] = {(long long)(SAMOVAR_FIRST_(__VA_ARGS__, 0)),                \
                                       SAMOVAR_REST_(__VA_ARGS__, 0)};                             \
        SAMOVAR_TELL_(SAMOVAR_ACTION_, samovar_values_, sizeof samovar_values_ / 8 - 1, 0);        \
        SAMOVAR_WIPE_(samovar_values_);                                                            \
    })
#endif

#define samovar_suggest(p, len) SAMOVAR_TELL_(SAMOVAR_SUGGEST_, p, len, 0)
#define samovar_suggest_or_wait(p, v)                                                              \
    __extension__({                                                                                \
        __typeof__(*(p)) samovar_wait_ = (v);                                                      \
        SAMOVAR_TELL_(SAMOVAR_SUGGEST_, p, sizeof *(p), &samovar_wait_);                           \
    })
#define samovar_busy() SAMOVAR_TELL_(SAMOVAR_BUSY_, 1, 0, 0)
#define samovar_idle() SAMOVAR_TELL_(SAMOVAR_BUSY_, 0, 0, 0)
#define samovar_evaluate(v) SAMOVAR_TELL_(SAMOVAR_EVALUATE_, (long long)(v), 0, 0)
#define samovar_grid(width, height, map) SAMOVAR_TELL_(SAMOVAR_GRID_, width, height, map)
#define samovar_place(name, x, y)                                                                  \
    SAMOVAR_TELL_(SAMOVAR_PLACE_, name, (long long)(x), (long long)(y))

/* StEAM's names ------------------------------------------------------------------------------- */

#ifndef SAMOVAR_LONG_NAMES
#define VASSERT(e) samovar_assert(e)
#define BEGINATOMIC                                                                                \
    {                                                                                              \
        samovar_begin_atomic();                                                                    \
    }
#define ENDATOMIC                                                                                  \
    {                                                                                              \
        samovar_end_atomic();                                                                      \
    }
#define RANGE(var, min, max) ((void)((var) = samovar_range(min, max)))
#define VLOCK(p) samovar_lock(p, sizeof *(p))
#define VUNLOCK(p) samovar_unlock(p, sizeof *(p))
#define SUGGEST(p) samovar_suggest(p, sizeof *(p))
#define SUGGEST_OR_WAIT(p, v) samovar_suggest_or_wait(p, v)
#endif

#endif
