/* The functions that run, for impact_oracle_rust.py: linked to what LLVM compiled with
 * -sanitizer-coverage-trace-pc-guard, which calls this at the begin of each function.
 *
 * The address in each function that runs is written to the file RAN_FUNCTIONS once, relative to
 * where the program is loaded. Programs that this one starts write nothing.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern char __executable_start;

static FILE *out;

__attribute__((constructor)) static void begin(void)
{
    char *path = getenv("RAN_FUNCTIONS");
    if (path) {
        out = fopen(path, "w");
        unsetenv("RAN_FUNCTIONS");
    }
}

void __sanitizer_cov_trace_pc_guard_init(uint32_t *first, uint32_t *end)
{
    for (; first < end; first++)
        *first = 1;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
    if (!__atomic_exchange_n(guard, 0, __ATOMIC_RELAXED) || !out)
        return;
    char *address = __builtin_return_address(0);
    fprintf(out, "0x%lx\n", (unsigned long)(address - &__executable_start));
    fflush(out); /* a test may end by abort or by a limit of time */
}
