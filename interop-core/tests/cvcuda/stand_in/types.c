/* `libnvcv_types`: tensors, images, batches and allocators. */

#include "stand_in.h"

#include <stdlib.h>
#include <string.h>

#ifndef VERSION
#define VERSION 190000 /* 0.19.0 */
#endif

enum { BASE_ALIGNMENT = 512, ROW_ALIGNMENT = 32 };

uint32_t nvcvGetVersion(void) {
    return VERSION;
}

const char *nvcvStatusGetName(Status status) {
    static const char *names[] = {
        "NVCV_SUCCESS",
        "NVCV_ERROR_NOT_IMPLEMENTED",
        "NVCV_ERROR_INVALID_ARGUMENT",
        "NVCV_ERROR_INVALID_IMAGE_FORMAT",
        "NVCV_ERROR_INVALID_OPERATION",
        "NVCV_ERROR_DEVICE",
        "NVCV_ERROR_NOT_READY",
        "NVCV_ERROR_OUT_OF_MEMORY",
        "NVCV_ERROR_INTERNAL",
        "NVCV_ERROR_NOT_COMPATIBLE",
        "NVCV_ERROR_OVERFLOW",
        "NVCV_ERROR_UNDERFLOW",
    };
    int known = status >= 0 && (size_t)status < sizeof names / sizeof *names;
    return known ? names[status] : "Unknown error";
}

/* Allocators. */

static void destroy_allocator(Object *object) {
    ResourceAllocator *custom = &object->allocator;
    if (custom->cleanup != NULL) custom->cleanup(custom->context, custom);
}

Status nvcvAllocatorConstructCustom(const ResourceAllocator *custom, int32_t count, Handle *allocator) {
    BEGIN();
    if (count != 1 || custom->resource != CUDA)
        return stand_in_fail(NOT_IMPLEMENTED, "The stand-in takes one allocator, of CUDA memory.");
    Object *object = stand_in_new(ALLOCATOR, destroy_allocator);
    object->allocator = *custom;
    *allocator = stand_in_publish(object);
    return SUCCESS;
}

Status nvcvAllocatorDecRef(Handle allocator, int *count) {
    return allocator == NULL ? SUCCESS : stand_in_reference(ALLOCATOR, allocator, -1, count);
}

/* The same total as in CV-CUDA, in blocks of the alignment. */
static void require(Memory *memory, int64_t bytes, int32_t alignment) {
    memory->blocks[CUDA][__builtin_ctz((unsigned)alignment)] += (bytes + alignment - 1) / alignment;
}

static Status allocate(Handle allocator, const Memory *memory, int32_t alignment, Block *block) {
    Object *object = stand_in_find(ALLOCATOR, allocator);
    if (object == NULL) return INVALID_ARGUMENT;
    int64_t bytes = 0;
    for (int power = 0; power < 32; power++) bytes += memory->blocks[CUDA][power] << power;
    void *address = object->allocator.allocate(object->allocator.context, bytes, alignment);
    /* As CV-CUDA 0.19.0: success, with nothing at the address 0. */
    if (address == NULL) return SUCCESS;
    /* What was allocated keeps the allocator, whoever else gives it up. */
    stand_in_reference(ALLOCATOR, allocator, 1, NULL);
    *block = (Block){allocator, address, bytes, alignment};
    return SUCCESS;
}

/* Where the allocator gave none. */
static const Block NO_BLOCK = {NULL, NULL, 0, 0};

static void release(const Block *block) {
    if (block->allocator == NULL) return;
    ResourceAllocator *custom = &stand_in_find(ALLOCATOR, block->allocator)->allocator;
    custom->free(custom->context, block->address, block->bytes, block->alignment);
    stand_in_reference(ALLOCATOR, block->allocator, -1, NULL);
}

/* Tensors. */

static int64_t item_size(uint64_t dtype) {
    switch (dtype >> 32 & 0xfff) { /* bits of the one channel */
    case 0x027: return 1;
    case 0x107: return 2;
    case 0x307: return 4;
    case 0x507: return 8;
    case 0x707: return 16;
    default: return 0;
    }
}

static Status check_shape(int32_t rank, const int64_t *shape) {
    if (rank < 1) return stand_in_fail(INVALID_ARGUMENT, "Number of dimensions must be >= 1, not %d", rank);
    /* CV-CUDA itself reads beyond its arrays here. */
    if (rank > MAX_RANK) return stand_in_fail(INVALID_ARGUMENT, "%d dimensions are too many", rank);
    for (int axis = 0; axis < rank; axis++)
        if (shape[axis] < 1)
            return stand_in_fail(INVALID_ARGUMENT, "Shape #%d must be >= 1, not %lld", axis,
                                 (long long)shape[axis]);
    return SUCCESS;
}

static int ends_in_pixels(const Layout *layout) {
    return layout->rank >= 2 && memcmp(layout->letters + layout->rank - 2, "WC", 2) == 0;
}

/* Each row, which is the axis before the packed ones, begins at a multiple of the alignment. */
Status nvcvTensorCalcRequirements(int32_t rank, const int64_t *shape, uint64_t dtype, Layout layout,
                                  int32_t base_alignment, int32_t row_alignment, TensorRequirements *found) {
    BEGIN();
    Status status = check_shape(rank, shape);
    if (status != SUCCESS) return status;
    memset(found, 0, sizeof *found);
    found->dtype = dtype, found->layout = layout, found->rank = rank;
    found->alignment = base_alignment == 0 ? BASE_ALIGNMENT : base_alignment;
    int64_t multiple = row_alignment == 0 ? ROW_ALIGNMENT : row_alignment, stride = item_size(dtype);
    int row = rank - (ends_in_pixels(&layout) ? 2 : 1) - 1;
    for (int axis = rank - 1; axis >= 0; axis--) {
        if (axis == row) stride = (stride + multiple - 1) / multiple * multiple;
        found->shape[axis] = shape[axis];
        found->strides[axis] = stride;
        if (__builtin_mul_overflow(stride, shape[axis], &stride))
            return stand_in_fail(OVERFLOWN, "Too large");
    }
    require(&found->memory, stride, found->alignment);
    return SUCCESS;
}

static void destroy_tensor(Object *object) {
    if (object->tensor.cleanup != NULL) object->tensor.cleanup(object->tensor.context, &object->tensor.data);
    release(&object->tensor.block);
}

Status nvcvTensorConstruct(const TensorRequirements *needed, Handle allocator, Handle *tensor) {
    BEGIN();
    Block block = NO_BLOCK;
    Status status = allocate(allocator, &needed->memory, needed->alignment, &block);
    if (status != SUCCESS) return status;
    Object *object = stand_in_new(TENSOR, destroy_tensor);
    TensorData *data = &object->tensor.data;
    data->dtype = needed->dtype, data->layout = needed->layout, data->rank = needed->rank;
    memcpy(data->shape, needed->shape, sizeof data->shape);
    memcpy(data->strides, needed->strides, sizeof data->strides);
    data->buffer_type = CUDA, data->first = block.address;
    object->tensor.block = block;
    *tensor = stand_in_publish(object);
    return SUCCESS;
}

/* The last axis is packed, and the one before where the layout ends in WC or there is none. */
static Status check_pitches(const TensorData *data) {
    int pixels = data->layout.rank == 0 || ends_in_pixels(&data->layout);
    int first_packed = data->rank - (pixels ? 2 : 1);
    long long needed = item_size(data->dtype);
    for (int axis = data->rank - 1; axis >= 0; axis--) {
        long long stride = data->strides[axis];
        if (data->shape[axis] == 1) continue;
        if (axis >= first_packed && stride != needed)
            return stand_in_fail(INVALID_ARGUMENT,
                                 "Pitch of dimension %d must be == %lld (packed), but it is %lld", axis,
                                 needed, stride);
        if (stride < needed)
            return stand_in_fail(INVALID_ARGUMENT, "Pitch of dimension %d must be >= %lld, but it is %lld",
                                 axis, needed, stride);
        needed = stride * data->shape[axis];
    }
    return SUCCESS;
}

Status nvcvTensorWrapDataConstruct(const TensorData *data, void (*cleanup)(void *, const TensorData *),
                                   void *context, Handle *tensor) {
    BEGIN();
    Status status = check_shape(data->rank, data->shape);
    if (status != SUCCESS) return status;
    if (data->first == NULL) return stand_in_fail(INVALID_ARGUMENT, "Memory buffer must not be NULL");
    status = check_pitches(data);
    if (status != SUCCESS) return status;
    Object *object = stand_in_new(TENSOR, destroy_tensor);
    object->tensor.data = *data;
    object->tensor.cleanup = cleanup;
    object->tensor.context = context;
    *tensor = stand_in_publish(object);
    return SUCCESS;
}

Status nvcvTensorExportData(Handle tensor, TensorData *data) {
    BEGIN();
    Object *object = stand_in_find(TENSOR, tensor);
    if (object == NULL)
        return stand_in_fail(INVALID_ARGUMENT, "The handle is invalid or the object was destroyed.");
    *data = object->tensor.data;
    return SUCCESS;
}

Status nvcvTensorIncRef(Handle tensor, int *count) {
    BEGIN();
    return stand_in_reference(TENSOR, tensor, 1, count);
}

Status nvcvTensorDecRef(Handle tensor, int *count) {
    return tensor == NULL ? SUCCESS : stand_in_reference(TENSOR, tensor, -1, count);
}

Status nvcvTensorRefCount(Handle tensor, int *count) {
    BEGIN();
    return stand_in_reference(TENSOR, tensor, 0, count);
}

/* Images. */

static void destroy_image(Object *object) {
    if (object->image.cleanup != NULL) object->image.cleanup(object->image.context, &object->image.data);
}

Status nvcvImageWrapDataConstruct(const ImageData *data, void (*cleanup)(void *, const ImageData *),
                                  void *context, Handle *image) {
    BEGIN();
    int count = data->strided.count;
    if (data->buffer_type != CUDA || count < 1 || count > MAX_PLANES)
        return stand_in_fail(INVALID_ARGUMENT, "The stand-in takes 1 to %d planes of CUDA memory",
                             MAX_PLANES);
    for (int plane = 0; plane < count; plane++)
        if (data->strided.planes[plane].first == NULL)
            return stand_in_fail(INVALID_ARGUMENT, "Memory buffer must not be NULL");
    Object *object = stand_in_new(IMAGE, destroy_image);
    object->image.data = *data;
    object->image.cleanup = cleanup;
    object->image.context = context;
    *image = stand_in_publish(object);
    return SUCCESS;
}

Status nvcvImageDecRef(Handle image, int *count) {
    return image == NULL ? SUCCESS : stand_in_reference(IMAGE, image, -1, count);
}

/* Batches of images of any sizes. */

Status nvcvImageBatchVarShapeCalcRequirements(int32_t capacity, BatchRequirements *found) {
    BEGIN();
    memset(found, 0, sizeof *found);
    found->capacity = capacity;
    found->alignment = BASE_ALIGNMENT;
    require(&found->memory, capacity * (int64_t)sizeof(ImageData), BASE_ALIGNMENT);
    return SUCCESS;
}

static void destroy_batch(Object *object) {
    for (int at = 0; at < object->batch.count; at++) nvcvImageDecRef(object->batch.images[at], NULL);
    free(object->batch.images);
    release(&object->batch.block);
}

/* Without an allocator it does without device memory, as nothing is computed. */
Status nvcvImageBatchVarShapeConstruct(const BatchRequirements *needed, Handle allocator, Handle *batch) {
    BEGIN();
    Block block = NO_BLOCK;
    Status status =
        allocator == NULL ? SUCCESS : allocate(allocator, &needed->memory, needed->alignment, &block);
    if (status != SUCCESS) return status;
    Object *object = stand_in_new(BATCH, destroy_batch);
    object->batch.capacity = needed->capacity;
    object->batch.images = calloc((size_t)needed->capacity, sizeof(Handle));
    object->batch.block = block;
    *batch = stand_in_publish(object);
    return SUCCESS;
}

/* All of them or none. */
Status nvcvImageBatchVarShapePushImages(Handle batch, const Handle *images, int32_t count) {
    BEGIN();
    Object *object = stand_in_find(BATCH, batch);
    if (object == NULL) return INVALID_ARGUMENT;
    if (count > object->batch.capacity - object->batch.count)
        return stand_in_fail(OVERFLOWN, "The batch has no room for %d more images", count);
    for (int at = 0; at < count; at++)
        if (stand_in_find(IMAGE, images[at]) == NULL) return INVALID_ARGUMENT;
    for (int at = 0; at < count; at++) {
        stand_in_reference(IMAGE, images[at], 1, NULL);
        object->batch.images[object->batch.count++] = images[at];
    }
    return SUCCESS;
}

/* The list of images is nobody's to read here; whoever reads it asks for it first, on a stream. */
Status nvcvImageBatchExportData(Handle batch, void *stream, void *data) {
    BEGIN();
    (void)stream;
    if (stand_in_find(BATCH, batch) == NULL) return INVALID_ARGUMENT;
    if (data == NULL) return stand_in_fail(INVALID_ARGUMENT, "Output data must not be NULL");
    return SUCCESS;
}

Status nvcvImageBatchDecRef(Handle batch, int *count) {
    return batch == NULL ? SUCCESS : stand_in_reference(BATCH, batch, -1, count);
}
