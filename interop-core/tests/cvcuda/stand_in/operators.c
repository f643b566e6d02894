/* `libcvcuda`: operators, which note what they were called with and do nothing. */

#include "stand_in.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void destroy_operator(Object *object) {
    (void)object;
}

void nvcvOperatorDestroy(Handle operator_) {
    if (operator_ != NULL) stand_in_reference(OPERATOR, operator_, -1, NULL);
}

/* Notes the text and gives a handle. `function` lives as long as the library, which is never closed. */
static Status create(const char *function, Handle *operator_, const char *text) {
    Status failure = stand_in_begin(function);
    if (failure != SUCCESS) return failure;
    stand_in_record(text);
    Object *object = stand_in_new(OPERATOR, destroy_operator);
    object->operator_of = function;
    *operator_ = stand_in_publish(object);
    return SUCCESS;
}

/* Whether the operator is live and was made by the function of the same operator. */
static int is_of(Handle operator_, const char *function) {
    Object *object = stand_in_find(OPERATOR, operator_);
    size_t name = object == NULL ? 0 : strlen(object->operator_of) - strlen("Create");
    return object != NULL && strncmp(object->operator_of, function, name) == 0;
}

typedef struct {
    Kind kind;
    Handle handle;
} Argument;

#define ARGUMENTS(...) ((const Argument[]){__VA_ARGS__, {KINDS, NULL}})
#define T(tensor) {TENSOR, tensor}
#define B(batch) {BATCH, batch}

/* Fails for a handle that is not live, and notes all arguments: function, stream, handles, the others. */
static Status submit(const char *function, Handle operator_, void *stream, const Argument *arguments,
                     const char *format, ...) {
    Status failure = stand_in_begin(function);
    if (failure != SUCCESS) return failure;
    if (!is_of(operator_, function)) return stand_in_fail(INVALID_ARGUMENT, "The handle is invalid.");
    char text[512];
    int len = snprintf(text, sizeof text, "%s %p", function, stream);
    for (; arguments->kind != KINDS; arguments++) {
        if (stand_in_find(arguments->kind, arguments->handle) == NULL) return INVALID_ARGUMENT;
        len += snprintf(text + len, sizeof text - (size_t)len, " %p", arguments->handle);
    }
    va_list others;
    va_start(others, format);
    vsnprintf(text + len, sizeof text - (size_t)len, format, others);
    va_end(others);
    stand_in_record(text);
    return SUCCESS;
}

#define CREATE(name)                                                                                         \
    Status name(Handle *operator_) {                                                                         \
        return create(__func__, operator_, #name);                                                           \
    }

#define CREATE_FOR_BATCHES(name)                                                                             \
    Status name(Handle *operator_, int32_t max_batch) {                                                      \
        char text[64];                                                                                       \
        snprintf(text, sizeof text, #name " %d", max_batch);                                                 \
        return create(__func__, operator_, text);                                                            \
    }

CREATE(cvcudaResizeCreate)
CREATE(cvcudaCvtColorCreate)
CREATE(cvcudaConvertToCreate)
CREATE(cvcudaNormalizeCreate)
CREATE(cvcudaReformatCreate)
CREATE(cvcudaCustomCropCreate)
CREATE(cvcudaCopyMakeBorderCreate)
CREATE(cvcudaCompositeCreate)
CREATE(cvcudaPadAndStackCreate)
CREATE_FOR_BATCHES(cvcudaFlipCreate)
CREATE_FOR_BATCHES(cvcudaRotateCreate)
CREATE_FOR_BATCHES(cvcudaWarpAffineCreate)

Status cvcudaGaussianCreate(Handle *operator_, int32_t max_width, int32_t max_height, int32_t max_batch) {
    char text[128];
    snprintf(text, sizeof text, "cvcudaGaussianCreate %d %d %d", max_width, max_height, max_batch);
    return create(__func__, operator_, text);
}

Status cvcudaResizeSubmit(Handle operator_, void *stream, Handle in, Handle out, int interpolation) {
    return submit(__func__, operator_, stream, ARGUMENTS(T(in), T(out)), " %d", interpolation);
}

Status cvcudaResizeVarShapeSubmit(Handle operator_, void *stream, Handle in, Handle out, int interpolation) {
    return submit(__func__, operator_, stream, ARGUMENTS(B(in), B(out)), " %d", interpolation);
}

Status cvcudaCvtColorSubmit(Handle operator_, void *stream, Handle in, Handle out, int code) {
    return submit(__func__, operator_, stream, ARGUMENTS(T(in), T(out)), " %d", code);
}

Status cvcudaCvtColorVarShapeSubmit(Handle operator_, void *stream, Handle in, Handle out, int code) {
    return submit(__func__, operator_, stream, ARGUMENTS(B(in), B(out)), " %d", code);
}

/* Version 0.17 added an argument under the same name: a library has either, in a version that says which. The
 * code stands behind another name, as one name cannot have two versions in a map. */
#ifdef WITHOUT_ROUNDING
__asm__(".symver convert_to, cvcudaConvertToSubmit@@CVCUDA_0.2");
Status convert_to(Handle operator_, void *stream, Handle in, Handle out, double alpha, double beta) {
    return submit("cvcudaConvertToSubmit", operator_, stream, ARGUMENTS(T(in), T(out)), " %g %g", alpha,
                  beta);
}
#else
__asm__(".symver convert_to, cvcudaConvertToSubmit@@CVCUDA_0.17");
Status convert_to(Handle operator_, void *stream, Handle in, Handle out, double alpha, double beta,
                  int round) {
    if (round < 0 || round > 3) return stand_in_fail(INVALID_ARGUMENT, "Invalid round mode %d", round);
    return submit("cvcudaConvertToSubmit", operator_, stream, ARGUMENTS(T(in), T(out)), " %g %g %d", alpha,
                  beta, round);
}
#endif

Status cvcudaNormalizeSubmit(Handle operator_, void *stream, Handle in, Handle base, Handle scale, Handle out,
                             float global_scale, float shift, float epsilon, uint32_t flags) {
    return submit(__func__, operator_, stream, ARGUMENTS(T(in), T(base), T(scale), T(out)), " %g %g %g %u",
                  global_scale, shift, epsilon, flags);
}

Status cvcudaReformatSubmit(Handle operator_, void *stream, Handle in, Handle out) {
    return submit(__func__, operator_, stream, ARGUMENTS(T(in), T(out)), "%s", "");
}

Status cvcudaGaussianSubmit(Handle operator_, void *stream, Handle in, Handle out, int32_t width,
                            int32_t height, double sigma_x, double sigma_y, int border) {
    return submit(__func__, operator_, stream, ARGUMENTS(T(in), T(out)), " %d %d %g %g %d", width, height,
                  sigma_x, sigma_y, border);
}

Status cvcudaFlipSubmit(Handle operator_, void *stream, Handle in, Handle out, int32_t code) {
    return submit(__func__, operator_, stream, ARGUMENTS(T(in), T(out)), " %d", code);
}

Status cvcudaCustomCropSubmit(Handle operator_, void *stream, Handle in, Handle out, Rect rect) {
    return submit(__func__, operator_, stream, ARGUMENTS(T(in), T(out)), " %d %d %d %d", rect.x, rect.y,
                  rect.width, rect.height);
}

Status cvcudaCopyMakeBorderSubmit(Handle operator_, void *stream, Handle in, Handle out, int32_t top,
                                  int32_t left, int border, Float4 value) {
    return submit(__func__, operator_, stream, ARGUMENTS(T(in), T(out)), " %d %d %d %g %g %g %g", top, left,
                  border, value.x, value.y, value.z, value.w);
}

Status cvcudaRotateSubmit(Handle operator_, void *stream, Handle in, Handle out, double degrees,
                          Double2 shift, int interpolation) {
    return submit(__func__, operator_, stream, ARGUMENTS(T(in), T(out)), " %g %g %g %d", degrees, shift.x,
                  shift.y, interpolation);
}

Status cvcudaWarpAffineSubmit(Handle operator_, void *stream, Handle in, Handle out, const float *matrix,
                              int32_t flags, int border, Float4 value) {
    return submit(__func__, operator_, stream, ARGUMENTS(T(in), T(out)),
                  " %g %g %g %g %g %g %d %d %g %g %g %g", matrix[0], matrix[1], matrix[2], matrix[3],
                  matrix[4], matrix[5], flags, border, value.x, value.y, value.z, value.w);
}

Status cvcudaCompositeSubmit(Handle operator_, void *stream, Handle foreground, Handle background,
                             Handle mask, Handle out) {
    return submit(__func__, operator_, stream, ARGUMENTS(T(foreground), T(background), T(mask), T(out)), "%s",
                  "");
}

Status cvcudaPadAndStackSubmit(Handle operator_, void *stream, Handle in, Handle out, Handle top, Handle left,
                               int border, float value) {
    return submit(__func__, operator_, stream, ARGUMENTS(B(in), T(out), T(top), T(left)), " %d %g", border,
                  value);
}
