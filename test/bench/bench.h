/* bench.h - what the benchmarks share: a process's cost, and a line of figures. */
#ifndef KVCAP_TEST_BENCH_BENCH_H
#define KVCAP_TEST_BENCH_BENCH_H

struct cost {
    double wall_ms, cpu_ms;
    long peak_kib;
    int status;
};

/* The least of several runs whose output goes to a file; ends the program where one fails. */
struct cost bench_run(char *const argv[], int runs, const char *output);
void bench_die(const char *what);

void bench_begin(const char *name);
void bench_figure(const char *key, double value);
void bench_end(void);

/* batches.c: kvcap fit --batch. */
void bench_batches(char *program);

#endif /* KVCAP_TEST_BENCH_BENCH_H */
