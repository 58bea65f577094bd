/* Times inferences through the C API of the very library our worker loads: no binding, no JavaScript, no copy.
 * loop LIBRARY MODEL INPUT OUTPUT DATA DIM...    then a line with a count on stdin gives a line of nanoseconds.
 * Entries of the API table keep their place in every version, so no header is needed; the numbers are theirs. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
  GetErrorMessage = 2,
  CreateEnv = 3,
  CreateSession = 7,
  Run = 9,
  CreateSessionOptions = 10,
  SetIntraOpNumThreads = 24,
  CreateTensorWithDataAsOrtValue = 49,
  CreateCpuMemoryInfo = 69,
  ReleaseValue = 96
};
enum { FLOAT = 1, ARENA_ALLOCATOR = 1, DEFAULT_MEMORY = 0, ERRORS_ONLY = 3, API_VERSION = 17 };

typedef void *Status;
typedef struct {
  void **(*GetApi)(uint32_t version);
  const char *(*GetVersionString)(void);
} ApiBase;

static void **api;

static void check(Status status) {
  if (status == NULL) return;
  fprintf(stderr, "%s\n", ((const char *(*)(Status))api[GetErrorMessage])(status));
  exit(1);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int main(int count, char **words) {
  if (count < 7) return 2;
  void *library = dlopen(words[1], RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  api = ((ApiBase * (*)(void)) dlsym(library, "OrtGetApiBase"))()->GetApi(API_VERSION);

  void *env, *options, *session, *memory, *input;
  int64_t dims[8];
  size_t rank = (size_t)(count - 6), elements = 1;
  for (size_t i = 0; i < rank && i < 8; i++) elements *= (size_t)(dims[i] = atoll(words[6 + i]));
  float *data = malloc(elements * sizeof(float));
  FILE *file = fopen(words[5], "rb");
  if (file == NULL || fread(data, sizeof(float), elements, file) != elements) return 1;
  fclose(file);

  check(((Status(*)(int, const char *, void **))api[CreateEnv])(ERRORS_ONLY, "loop", &env));
  check(((Status(*)(void **))api[CreateSessionOptions])(&options));
  check(((Status(*)(void *, int))api[SetIntraOpNumThreads])(options, 1));
  check(((Status(*)(void *, const char *, void *, void **))api[CreateSession])(env, words[2], options, &session));
  check(((Status(*)(int, int, void **))api[CreateCpuMemoryInfo])(ARENA_ALLOCATOR, DEFAULT_MEMORY, &memory));
  check(((Status(*)(void *, void *, size_t, int64_t *, size_t, int, void **))api[CreateTensorWithDataAsOrtValue])(
      memory, data, elements * sizeof(float), dims, rank, FLOAT, &input));

  Status (*run)(void *, void *, const char **, void **, size_t, const char **, size_t, void **) =
      (Status(*)(void *, void *, const char **, void **, size_t, const char **, size_t, void **))api[Run];
  void (*release)(void *) = (void (*)(void *))api[ReleaseValue];
  const char *in[] = {words[3]}, *out[] = {words[4]};

  int iterations;
  while (scanf("%d", &iterations) == 1) {
    int64_t *times = malloc((size_t)iterations * sizeof(int64_t));
    for (int i = 0; i < iterations; i++) {
      void *output = NULL;
      int64_t before = now();
      Status status = run(session, NULL, in, &input, 1, out, 1, &output);
      release(output);
      times[i] = now() - before;
      check(status);
    }
    for (int i = 0; i < iterations; i++) printf("%lld%c", (long long)times[i], i + 1 < iterations ? ' ' : '\n');
    fflush(stdout);
    free(times);
  }
  return 0;
}
