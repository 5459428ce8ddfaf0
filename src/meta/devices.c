/* devices.c - see devices.h for the room and its promises. */

#include "meta/devices.h"

#include "meta/name.h"

/* ---- Where the numbers were read: a repository with its revision and file, a page of who sells or
 * rents the device, or a thread with the date of what was read there. */

#define AIC "github.com/ai-dynamo/aiconfigurator@095f58a, aic-core/src/aiconfigurator_core/systems"
#define AIC_B60                                                                                    \
    "github.com/ai-dynamo/aiconfigurator@66a01e1, "                                                \
    "aic-core/src/aiconfigurator_core/systems/b60.yaml"
#define AIC_GB10 "github.com/ai-dynamo/aiconfigurator@f0f1266, src/aiconfigurator/systems/gb10.yaml"
#define AMD_SPECS "rocm.docs.amd.com/en/latest/reference/gpu-specs.html"
#define BOTTLEROCKET                                                                               \
    "github.com/bottlerocket-os/bottlerocket-core-kit/pull/834 (2026-02-19), nvidia-smi"
#define CAPTURE "github.com/thamada/nvidia-smi@"
#define CAPTURE_2 "github.com/thamada/gls@"
#define GENZ "github.com/abhibambhaniya/GenZ-LLM-Analyzer@091bdd0, Systems/system_configs.py"
#define GPUHUNT "github.com/dstackai/gpuhunt@0ae939f, src/gpuhunt/_internal/constraints.py"
#define HF_JS "github.com/huggingface/huggingface.js@033a6ee, packages/tasks/src/hardware.ts"
#define LLMFIT "github.com/AlexsJones/llmfit@3f44fd3, llmfit-core/src/hardware.rs"
#define LLMFIT_CATALOG "github.com/AlexsJones/llmfit@1bc8035, llmfit-core/src/hardware_catalog.rs"
#define MI300X "github.com/alpharomercoma/MI300X-vs-H200@6077fdc, METHODOLOGY.md"
#define MI300X_SMI "github.com/ROCm/legacy-rocm-build/issues/4750 (2025-05-21), rocm-smi"
#define MODAL "github.com/modal-labs/modal-client/pull/2797 (2025-01-23), nvidia-smi totals"
#define NVIDIA_MIG "docs.nvidia.com/datacenter/tesla/mig-user-guide/supported-gpus.html"
#define NVIDIA_NIM "docs.nvidia.com/nim/large-language-models/1.7.0/supported-models.html"
#define RUNPOD "github.com/runpod/docs@0a0dd1b, references/gpu-types.mdx"
#define RUNPOD_PAGE "docs.runpod.io/references/gpu-types.md"
#define SMI_3060                                                                                   \
    "github.com/geerlingguy/raspberry-pi-pcie-devices/issues/790 (2025-12-05), nvidia-smi"
#define SMI_5070 "github.com/shkhln/libc6-shim/issues/14 (driver v575.64.03), nvidia-smi"
#define SMI_5090 "github.com/noonghunna/club-3090/issues/617 (2026-07-06), nvidia-smi"
#define SMI_A10G "github.com/NVIDIA/k8s-device-plugin/issues/344 (2022-11-15), nvidia-smi -q"
#define SMI_B200 "github.com/NVIDIA/TensorRT-LLM/issues/10278 (2025-12-24), nvidia-smi"
#define SMI_GH200 "github.com/hu-po/warp-ik@14c393b, docs/specs/arm-gh200.md, nvidia-smi"
#define SMI_H200 "github.com/sgl-project/sglang/issues/3196 (2025-01-30), nvidia-smi"
#define SMI_P100 "github.com/wookayin/gpustat/issues/130 (2022-08-22), nvidia-smi and gpustat"
#define SMI_PRO_6000 "github.com/vllm-project/vllm/issues/27542 (2025-11-13), nvidia-smi"
#define SMI_T4 "github.com/NVIDIA/k8s-device-plugin/issues/390 (2023-03-16), nvidia-smi -q"
#define TORCH_4070_TI_SUPER                                                                        \
    "gist.github.com/bigsnarfdude/946229ab3cfaab6c1c553654fb0a465a (2024-05-22)"
#define TORCH_B300 "github.com/pytorch/ao/pull/3640 (2026-01-14)"
#define TORCH_H20 "github.com/vllm-project/vllm/issues/29670 (driver v580.82.07)"
#define TORCHAO "github.com/pytorch/ao/pull/4002 (2026-03-05)"
#define TPU7X "docs.cloud.google.com/tpu/docs/tpu7x"
#define TPU_V5E "docs.cloud.google.com/tpu/docs/v5e"
#define TPU_V5P "docs.cloud.google.com/tpu/docs/v5p"
#define TPU_V6E "docs.cloud.google.com/tpu/docs/v6e"
#define VULTR                                                                                      \
    "docs.vultr.com/inference-cookbook/rocm/getting-started/hardware-requirements (2026-03-11)"

/* clang-format off */
#define NONE { 0, NULL }
#define NO_DRIVER { NULL, 0, NULL }
#define NO_RUNTIME { 0, 0, NULL }
#define UNNAMED { NULL, NULL }
#define SMI_MIB(n, source) { "nvidia-smi", (uint64_t)(n) << 20, source }
#define UNIFIED "memory shared with the processor, of several sizes"

/* name, driver's name, vendor, nominal GB, driver, runtime (GiB * 100, or bytes), MB/s, note */
static const struct kvc_device DEVICES[] = {
    { "A10 24GB", UNNAMED, "NVIDIA",
      { 24, GPUHUNT }, SMI_MIB(23028, MODAL), NO_RUNTIME, { 600000, LLMFIT }, NULL },
    { "A100 40GB", { "NVIDIA A100-SXM4-40GB", BOTTLEROCKET }, "NVIDIA",
      { 40, NVIDIA_MIG }, SMI_MIB(40960, MODAL), NO_RUNTIME, { 1555000, LLMFIT }, NULL },
    { "A100 PCIe 80GB", { "NVIDIA A100 80GB PCIe", RUNPOD }, "NVIDIA",
      { 80, NVIDIA_MIG }, NO_DRIVER, NO_RUNTIME, { 1935000, AIC }, NULL },
    { "A100 SXM4 80GB", { "NVIDIA A100-SXM4-80GB", RUNPOD }, "NVIDIA",
      { 80, NVIDIA_MIG }, SMI_MIB(81920, MODAL), NO_RUNTIME, { 2039000, AIC }, NULL },
    { "A10G 24GB", { "NVIDIA A10G", SMI_A10G }, "NVIDIA",
      { 24, NVIDIA_NIM }, NO_DRIVER, NO_RUNTIME, { 600000, LLMFIT }, NULL },
    { "A30 24GB", { "NVIDIA A30", RUNPOD }, "NVIDIA",
      { 24, NVIDIA_MIG }, NO_DRIVER, NO_RUNTIME, { 933000, AIC }, NULL },
    { "A40 48GB", { "NVIDIA A40", RUNPOD }, "NVIDIA",
      { 48, RUNPOD }, SMI_MIB(46068, CAPTURE "5f6b772, nvsim/A40x10_smi.py"), NO_RUNTIME, NONE,
      "with ECC on" },
    { "Apple M1 Max", UNNAMED, "Apple",
      NONE, NO_DRIVER, NO_RUNTIME, { 400000, LLMFIT }, UNIFIED },
    { "Apple M1 Ultra", UNNAMED, "Apple",
      NONE, NO_DRIVER, NO_RUNTIME, { 800000, LLMFIT }, UNIFIED },
    { "Apple M2 Ultra", UNNAMED, "Apple",
      NONE, NO_DRIVER, NO_RUNTIME, { 800000, LLMFIT }, UNIFIED },
    { "Apple M3 Max 40-core", UNNAMED, "Apple",
      NONE, NO_DRIVER, NO_RUNTIME, { 400000, LLMFIT }, UNIFIED },
    { "Apple M3 Ultra", UNNAMED, "Apple",
      NONE, NO_DRIVER, NO_RUNTIME, { 800000, LLMFIT }, UNIFIED },
    { "Apple M4", UNNAMED, "Apple",
      NONE, NO_DRIVER, NO_RUNTIME, { 120000, LLMFIT }, UNIFIED },
    { "Apple M4 Max 40-core", UNNAMED, "Apple",
      NONE, NO_DRIVER, NO_RUNTIME, { 546000, LLMFIT }, UNIFIED },
    { "Apple M4 Pro", UNNAMED, "Apple",
      NONE, NO_DRIVER, NO_RUNTIME, { 273000, LLMFIT }, UNIFIED },
    { "Apple M5", UNNAMED, "Apple",
      NONE, NO_DRIVER, NO_RUNTIME, { 153600, LLMFIT }, UNIFIED },
    { "Apple M5 Max", UNNAMED, "Apple",
      NONE, NO_DRIVER, NO_RUNTIME, { 614000, LLMFIT }, UNIFIED },
    { "Arc Pro B60 24GB", UNNAMED, "Intel",
      { 24, AIC_B60 }, NO_DRIVER, NO_RUNTIME, { 456000, AIC_B60 }, NULL },
    { "B200 SXM 180GB", { "NVIDIA B200", RUNPOD }, "NVIDIA",
      { 180, NVIDIA_MIG }, SMI_MIB(183359, SMI_B200), { 17835, 0, TORCHAO }, { 7700000, AIC },
      "bus and clock give 7672 GB/s: " TORCHAO },
    { "B300 SXM6 288GB", { "NVIDIA B300 SXM6 AC", TORCH_B300 }, "NVIDIA",
      { 288, RUNPOD_PAGE }, NO_DRIVER, NO_RUNTIME, { 7750000, AIC }, NULL },
    { "DGX Spark GB10 128GB", UNNAMED, "NVIDIA",
      { 128, AIC_GB10 }, NO_DRIVER, NO_RUNTIME, { 273000, AIC_GB10 },
      "memory shared with the processor; its driver reports no total" },
    { "Gaudi 2 HL-225 96GB", UNNAMED, "Intel",
      { 96, GPUHUNT }, NO_DRIVER, NO_RUNTIME, NONE, NULL },
    { "Gaudi 3 128GB", UNNAMED, "Intel",
      { 128, GPUHUNT }, NO_DRIVER, NO_RUNTIME, { 3675000, GENZ }, NULL },
    { "GB200", UNNAMED, "NVIDIA",
      { 186, NVIDIA_MIG }, NO_DRIVER, NO_RUNTIME, { 8000000, AIC }, NULL },
    { "GB300", UNNAMED, "NVIDIA",
      { 288, AIC }, SMI_MIB(284208, AIC), NO_RUNTIME, { 8000000, AIC }, NULL },
    { "GeForce RTX 3060 12GB", { "NVIDIA GeForce RTX 3060", SMI_3060 }, "NVIDIA",
      { 12, GPUHUNT }, SMI_MIB(12288, SMI_3060), NO_RUNTIME, { 360000, LLMFIT }, NULL },
    { "GeForce RTX 3080 Ti 12GB", { "NVIDIA GeForce RTX 3080 Ti", RUNPOD }, "NVIDIA",
      { 12, RUNPOD }, NO_DRIVER, NO_RUNTIME, { 912000, LLMFIT }, NULL },
    { "GeForce RTX 3090 24GB", { "NVIDIA GeForce RTX 3090", RUNPOD }, "NVIDIA",
      { 24, RUNPOD }, SMI_MIB(24576, CAPTURE "b09ef13, gls/RTX3090_smi.py"), NO_RUNTIME,
      { 936000, LLMFIT }, NULL },
    { "GeForce RTX 3090 Ti 24GB", { "NVIDIA GeForce RTX 3090 Ti", RUNPOD }, "NVIDIA",
      { 24, RUNPOD }, NO_DRIVER, NO_RUNTIME, { 1008000, LLMFIT }, NULL },
    { "GeForce RTX 4060 Ti 16GB",
      { "NVIDIA GeForce RTX 4060 Ti", CAPTURE "03fbe6e, nvsim/RTX4060Ti_smi.py" }, "NVIDIA",
      { 16, LLMFIT_CATALOG }, SMI_MIB(16380, CAPTURE "03fbe6e, nvsim/RTX4060Ti_smi.py"),
      NO_RUNTIME, { 288000, LLMFIT }, NULL },
    { "GeForce RTX 4070 Ti SUPER 16GB",
      { "NVIDIA GeForce RTX 4070 Ti SUPER", TORCH_4070_TI_SUPER }, "NVIDIA",
      { 16, HF_JS }, NO_DRIVER, { 0, UINT64_C(16852516864), TORCH_4070_TI_SUPER },
      { 672000, LLMFIT }, NULL },
    { "GeForce RTX 4080 16GB", { "NVIDIA GeForce RTX 4080", RUNPOD }, "NVIDIA",
      { 16, RUNPOD }, NO_DRIVER, NO_RUNTIME, { 717000, LLMFIT }, NULL },
    { "GeForce RTX 4080 SUPER 16GB", { "NVIDIA GeForce RTX 4080 SUPER", RUNPOD }, "NVIDIA",
      { 16, RUNPOD }, NO_DRIVER, NO_RUNTIME, { 736000, LLMFIT }, NULL },
    { "GeForce RTX 4090 24GB", { "NVIDIA GeForce RTX 4090", RUNPOD }, "NVIDIA",
      { 24, RUNPOD }, SMI_MIB(24564, CAPTURE "6f38a71, package/RTX4090_smi.py"), NO_RUNTIME,
      { 1008000, LLMFIT }, NULL },
    { "GeForce RTX 5060 Ti", UNNAMED, "NVIDIA",
      NONE, NO_DRIVER, NO_RUNTIME, { 448000, LLMFIT }, NULL },
    { "GeForce RTX 5070", { "NVIDIA GeForce RTX 5070", SMI_5070 }, "NVIDIA",
      NONE, SMI_MIB(12227, SMI_5070), NO_RUNTIME, { 672000, LLMFIT }, NULL },
    { "GeForce RTX 5070 Ti", UNNAMED, "NVIDIA",
      NONE, NO_DRIVER, NO_RUNTIME, { 896000, LLMFIT }, NULL },
    { "GeForce RTX 5080 16GB", { "NVIDIA GeForce RTX 5080", RUNPOD }, "NVIDIA",
      { 16, RUNPOD }, NO_DRIVER, NO_RUNTIME, { 960000, LLMFIT }, NULL },
    { "GeForce RTX 5090 32GB", { "NVIDIA GeForce RTX 5090", RUNPOD }, "NVIDIA",
      { 32, RUNPOD }, SMI_MIB(32607, SMI_5090), NO_RUNTIME, { 1792000, LLMFIT }, NULL },
    { "GH200 96GB", { "NVIDIA GH200 480GB", SMI_GH200 }, "NVIDIA",
      { 96, NVIDIA_MIG }, SMI_MIB(97871, SMI_GH200), NO_RUNTIME, NONE,
      "the driver's name carries the memory of the processor beside it" },
    { "H100 NVL 94GB", { "NVIDIA H100 NVL", RUNPOD }, "NVIDIA",
      { 94, RUNPOD }, SMI_MIB(95830, CAPTURE "198aebb, nvsim/H100NVLx2_smi.py"), NO_RUNTIME,
      NONE, NULL },
    { "H100 PCIe 80GB", { "NVIDIA H100 PCIe", RUNPOD }, "NVIDIA",
      { 80, NVIDIA_MIG }, NO_DRIVER, NO_RUNTIME, { 2000000, AIC }, NULL },
    { "H100 SXM5 80GB", { "NVIDIA H100 80GB HBM3", RUNPOD }, "NVIDIA",
      { 80, NVIDIA_MIG }, SMI_MIB(81559, MODAL),
      { 0, UINT64_C(85045477376), CAPTURE "03fbe6e, nvsim/H100SXMx8_deviceQuery.py" },
      { 3350000, AIC }, NULL },
    { "H20 96GB", { "NVIDIA H20", TORCH_H20 }, "NVIDIA",
      { 96, NVIDIA_MIG }, NO_DRIVER, NO_RUNTIME, NONE, NULL },
    { "H200 SXM 141GB", { "NVIDIA H200", RUNPOD }, "NVIDIA",
      { 141, NVIDIA_MIG }, SMI_MIB(143771, SMI_H200), NO_RUNTIME, { 4800000, AIC }, NULL },
    { "Instinct MI250X 128GB", UNNAMED, "AMD",
      { 128, GPUHUNT }, NO_DRIVER, NO_RUNTIME, { 3277000, LLMFIT },
      "two dies, each a device with half of the memory" },
    { "Instinct MI300X 192GB", UNNAMED, "AMD",
      { 192, RUNPOD }, { "rocm-smi", UINT64_C(206141652992), MI300X_SMI }, NO_RUNTIME,
      { 5300000, MI300X }, NULL },
    { "Instinct MI325X 256GB", UNNAMED, "AMD",
      { 256, VULTR }, NO_DRIVER, NO_RUNTIME, { 6000000, VULTR }, NULL },
    { "Instinct MI350X 288GB", UNNAMED, "AMD",
      { 288, AMD_SPECS }, NO_DRIVER, NO_RUNTIME, NONE, NULL },
    { "Instinct MI355X 288GB", UNNAMED, "AMD",
      { 288, AMD_SPECS }, NO_DRIVER, NO_RUNTIME, NONE, NULL },
    { "L4 24GB", { "NVIDIA L4", RUNPOD }, "NVIDIA",
      { 24, RUNPOD }, SMI_MIB(23034, MODAL), NO_RUNTIME, { 300000, AIC }, NULL },
    { "L40 48GB", { "NVIDIA L40", RUNPOD }, "NVIDIA",
      { 48, RUNPOD }, NO_DRIVER, NO_RUNTIME, { 864000, LLMFIT }, NULL },
    { "L40S 48GB", { "NVIDIA L40S", RUNPOD }, "NVIDIA",
      { 48, RUNPOD }, SMI_MIB(46068, MODAL), NO_RUNTIME, { 864000, LLMFIT }, NULL },
    { "P100 PCIe 16GB", { "Tesla P100-PCIE-16GB", SMI_P100 }, "NVIDIA",
      { 16, GPUHUNT }, SMI_MIB(16384, SMI_P100), NO_RUNTIME, NONE, NULL },
    { "RTX 6000 Ada 48GB", { "NVIDIA RTX 6000 Ada Generation", RUNPOD }, "NVIDIA",
      { 48, RUNPOD }, SMI_MIB(49140, CAPTURE "b09ef13, gls/RTX6000Ada_x8_smi.py"), NO_RUNTIME,
      NONE, "with ECC off" },
    { "RTX A4000 16GB", { "NVIDIA RTX A4000", RUNPOD }, "NVIDIA",
      { 16, RUNPOD }, NO_DRIVER, NO_RUNTIME, { 448000, LLMFIT }, NULL },
    { "RTX A6000 48GB", { "NVIDIA RTX A6000", RUNPOD }, "NVIDIA",
      { 48, RUNPOD }, SMI_MIB(46068, CAPTURE_2 "ecc9fb5, gls/RTX_A6000_x9_smi.py"), NO_RUNTIME,
      { 768000, LLMFIT }, "with ECC on; more with ECC off" },
    { "RTX PRO 6000 Blackwell 96GB", UNNAMED, "NVIDIA",
      { 96, NVIDIA_MIG }, SMI_MIB(97887, SMI_PRO_6000), NO_RUNTIME, { 1792000, AIC },
      "Server, Workstation and Max-Q editions" },
    { "T4 16GB", { "Tesla T4", SMI_T4 }, "NVIDIA",
      { 16, GPUHUNT }, SMI_MIB(15360, MODAL), NO_RUNTIME, { 320000, LLMFIT }, NULL },
    { "TPU v4", UNNAMED, "Google",
      { 32, GENZ }, NO_DRIVER, NO_RUNTIME, { 1228000, GENZ }, NULL },
    { "TPU v5e", UNNAMED, "Google",
      { 16, TPU_V5E }, NO_DRIVER, NO_RUNTIME, { 819000, TPU_V5E },
      "the vendor prints 819 GBps and 800 GiBps: " TPU_V5E },
    { "TPU v5p", UNNAMED, "Google",
      { 95, TPU_V5P }, NO_DRIVER, NO_RUNTIME, { 2765000, TPU_V5P }, NULL },
    { "TPU v6e Trillium", UNNAMED, "Google",
      { 32, TPU_V6E }, NO_DRIVER, NO_RUNTIME, { 1638000, TPU_V6E }, NULL },
    { "TPU7x Ironwood", UNNAMED, "Google",
      { 192, TPU7X }, NO_DRIVER, NO_RUNTIME, NONE,
      "the vendor counts GiB; two cores a chip appear as two devices" },
    { "V100 32GB", { "Tesla V100-SXM2-32GB", RUNPOD }, "NVIDIA",
      { 32, RUNPOD }, NO_DRIVER, NO_RUNTIME, { 900000, LLMFIT }, NULL },
};
/* clang-format on */

#define DEVICES_COUNT (sizeof DEVICES / sizeof DEVICES[0])

const struct kvc_device *kvc_device_at(size_t index)
{
    return index < DEVICES_COUNT ? &DEVICES[index] : NULL;
}

static bool means(struct kvc_span word, const struct kvc_device *device)
{
    return kvc_name_equal(word, kvc_span_of(device->name)) ||
           (device->called.name != NULL && kvc_name_equal(word, kvc_span_of(device->called.name)));
}

/* The name and its beginnings word by word: "H100", "H100 SXM5". */
static void offer_beginnings(struct kvc_near *near, const struct kvc_device *device)
{
    struct kvc_span name = kvc_span_of(device->name);
    for (size_t i = 1; i <= name.length; i++) {
        if (i == name.length || name.text[i] == ' ')
            kvc_near_offer(near, device->name, (struct kvc_span){ name.text, i });
    }
}

kvcap_code kvc_device_find(struct kvc_span name, const struct kvc_device **ret_device,
                           kvcap_error *err)
{
    struct kvc_near near = { .word = name };
    for (size_t i = 0; i < DEVICES_COUNT; i++) {
        if (means(name, &DEVICES[i])) {
            *ret_device = &DEVICES[i];
            return KVCAP_OK;
        }
    }
    for (size_t i = 0; i < DEVICES_COUNT; i++) {
        const struct kvc_device *device = &DEVICES[i];
        offer_beginnings(&near, device);
        if (device->called.name != NULL)
            kvc_near_offer(&near, device->name, kvc_span_of(device->called.name));
    }
    return kvc_near_refuse(&near, "device", err);
}

/* A text of two decimals stands for what lies within half of the last one.  The largest number here
 * times 2^30 is below 2^64 by far. */
void kvc_device_runtime_bytes(const struct kvc_device *device, uint64_t *ret_least,
                              uint64_t *ret_most)
{
    const uint64_t gib = UINT64_C(1) << 30;
    uint64_t twice = (uint64_t)device->runtime.gib_100 * 2;
    *ret_least = *ret_most = device->runtime.bytes;
    if (device->runtime.gib_100 == 0)
        return;
    *ret_least = ((twice - 1) * gib + 199) / 200;
    *ret_most = (twice + 1) * gib / 200;
}
