/*
 * A stand-in for CV-CUDA's two C libraries, for tests on the simulated device: it keeps the same books
 * (handles, references, cleanups, allocators, messages) and computes nothing, as the simulator's addresses
 * are not the host's.
 *
 * Here: the types that cross the interface, and what both libraries use of objects.c.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef int Status;
/* A number that is never given out twice, so that a handle used after its end is always noticed. */
typedef void *Handle;

enum {
    SUCCESS = 0,
    NOT_IMPLEMENTED = 1,
    INVALID_ARGUMENT = 2,
    OUT_OF_MEMORY = 7,
    OVERFLOWN = 10,
};

enum { MAX_RANK = 15, MAX_PLANES = 6, RESOURCES = 3, CUDA = 1 };

typedef struct {
    char letters[MAX_RANK + 1];
    int32_t rank;
} Layout;

typedef struct {
    uint64_t dtype;
    Layout layout;
    int32_t rank;
    int64_t shape[MAX_RANK];
    int32_t buffer_type;
    int64_t strides[MAX_RANK];
    void *first;
} TensorData;

/* How many blocks of each power of two of bytes, of each resource. */
typedef struct {
    int64_t blocks[RESOURCES][32];
} Memory;

typedef struct {
    uint64_t dtype;
    Layout layout;
    int32_t rank;
    int64_t shape[MAX_RANK];
    int64_t strides[MAX_RANK];
    int32_t alignment;
    Memory memory;
} TensorRequirements;

typedef struct {
    int32_t capacity;
    int32_t alignment;
    Memory memory;
} BatchRequirements;

typedef struct {
    int32_t width, height, row_stride;
    void *first;
} Plane;

typedef struct {
    uint64_t format;
    int32_t buffer_type;
    struct {
        int32_t count;
        Plane planes[MAX_PLANES];
    } strided;
} ImageData;

typedef struct ResourceAllocator ResourceAllocator;
struct ResourceAllocator {
    void *context;
    int32_t resource;
    void *(*allocate)(void *context, int64_t bytes, int32_t alignment);
    void (*free)(void *context, void *address, int64_t bytes, int32_t alignment);
    void (*cleanup)(void *context, ResourceAllocator *allocator);
};

typedef struct {
    int32_t x, y, width, height;
} Rect;

/* CUDA's vectors are aligned, which decides how they are passed by value. */
typedef struct {
    float x, y, z, w;
} __attribute__((aligned(16))) Float4;

typedef struct {
    double x, y;
} __attribute__((aligned(16))) Double2;

/* As the headers of CV-CUDA 0.15 compile for x86-64. */
_Static_assert(sizeof(TensorData) == 288 && offsetof(TensorData, strides) == 160, "NVCVTensorData");
_Static_assert(sizeof(TensorRequirements) == 1048, "NVCVTensorRequirements");
_Static_assert(sizeof(ImageData) == 168 && offsetof(ImageData, strided) == 16, "NVCVImageData");
_Static_assert(sizeof(BatchRequirements) == 776, "NVCVImageBatchVarShapeRequirements");

/* The order is that of `Live` in mod.rs. */
typedef enum { TENSOR, ALLOCATOR, IMAGE, BATCH, OPERATOR, KINDS } Kind;

/* Memory that an allocator gave, and a reference to that. */
typedef struct {
    Handle allocator;
    void *address;
    int64_t bytes;
    int32_t alignment;
} Block;

/* What a handle stands for. */
typedef struct Object Object;
struct Object {
    Object *next;
    Handle handle;
    Kind kind;
    int references;
    /* Called once when the last reference is gone, without the lock: callbacks may come back here. */
    void (*destroy)(Object *);
    union {
        struct {
            TensorData data;
            void (*cleanup)(void *context, const TensorData *data);
            void *context;
            Block block;
        } tensor;
        struct {
            ImageData data;
            void (*cleanup)(void *context, const ImageData *data);
            void *context;
        } image;
        struct {
            Handle *images;
            int32_t count, capacity;
            Block block;
        } batch;
        ResourceAllocator allocator;
        /* The function that made it. */
        const char *operator_of;
    };
};

/* Fills a new object in, then gives it a handle with one reference. */
Object *stand_in_new(Kind kind, void (*destroy)(Object *));
Handle stand_in_publish(Object *object);

/* NULL, with the message set, for a handle that is not live. The object is as long as the caller has a
 * reference. */
Object *stand_in_find(Kind kind, Handle handle);

/* Adds `change` to the references. `count`, where it is not NULL, becomes how many there are. */
Status stand_in_reference(Kind kind, Handle handle, int change, int *count);

/* Sets this thread's message and returns the status. */
Status stand_in_fail(Status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Keeps a text as that of the last call of an operator. */
void stand_in_record(const char *text);

/* Counts a call; returns the failure that a test has set for this function. */
Status stand_in_begin(const char *function);

/* First in every function that returns a status. */
#define BEGIN()                                                                                              \
    do {                                                                                                     \
        Status failure = stand_in_begin(__func__);                                                           \
        if (failure != SUCCESS) return failure;                                                              \
    } while (0)
