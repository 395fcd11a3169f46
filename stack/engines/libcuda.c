/* SGLang's kernels are linked with the CUDA driver even where the engine runs on a processor. This
 * stands in for it on a machine without one: each function answers "no device". */
#define ANSWERS_NO_DEVICE(name) int name(void) { return 100; }

ANSWERS_NO_DEVICE(cuInit)
ANSWERS_NO_DEVICE(cuCtxFromGreenCtx)
ANSWERS_NO_DEVICE(cuCtxPopCurrent_v2)
ANSWERS_NO_DEVICE(cuCtxPushCurrent_v2)
ANSWERS_NO_DEVICE(cuDevResourceGenerateDesc)
ANSWERS_NO_DEVICE(cuDevSmResourceSplitByCount)
ANSWERS_NO_DEVICE(cuDeviceGetDevResource)
ANSWERS_NO_DEVICE(cuDriverGetVersion)
ANSWERS_NO_DEVICE(cuGetErrorString)
ANSWERS_NO_DEVICE(cuGetProcAddress_v2)
ANSWERS_NO_DEVICE(cuGreenCtxCreate)
ANSWERS_NO_DEVICE(cuGreenCtxDestroy)
ANSWERS_NO_DEVICE(cuGreenCtxGetDevResource)
ANSWERS_NO_DEVICE(cuPointerGetAttribute)
ANSWERS_NO_DEVICE(cuStreamCreate)
