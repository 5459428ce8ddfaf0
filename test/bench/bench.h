/* bench.h - what the figures of kvcap-bench share: a process and its cost, and a line for each figure. */
#ifndef KVCAP_BENCH_H
#define KVCAP_BENCH_H

struct cost {
    double wall_ms, cpu_ms;
    long peak_kib;
    int status;
};

void bench_die(const char *what);
double bench_cpu_ms(void); /* of this process until now */

/* `input` NULL: this process' own. */
struct cost bench_run_once(char *const argv[], const char *input, const char *output);

/* A line: its name, then keys and values. */
void bench_begin(const char *name);
void bench_figure(const char *key, double value);
void bench_end(void);

/* One short process beside one that only reads the same bytes. */
void bench_small(const char *name, char *const argv[], char *const plain[]);

/* fits.c: `kvcap fit`, once and in batches. */
void bench_fits(char *program);

#endif /* KVCAP_BENCH_H */
