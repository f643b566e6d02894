/* The books of the stand-in: live objects, this thread's message, calls; and what tests ask for and set. */

#include "stand_in.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* interop-core takes a library that has this for the simulated device, and any other for a GPU. */
const int interop_cvcuda_stand_in = 1;

enum { FUNCTIONS = 64, TEXT = 512 };

/* All that follows is behind this lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Object *objects;
static uintptr_t next_handle = 16;
static int live[KINDS];
static struct {
    const char *name;
    int calls;
} functions[FUNCTIONS];
static char last_call[TEXT];
static struct {
    char function[64];
    Status status;
    char message[256];
} failure;

static _Thread_local char message[256];
static _Thread_local Status last_status;

static Object **place_of(Kind kind, Handle handle) {
    Object **place = &objects;
    while (*place != NULL && ((*place)->handle != handle || (*place)->kind != kind)) place = &(*place)->next;
    return place;
}

Object *stand_in_new(Kind kind, void (*destroy)(Object *)) {
    Object *object = calloc(1, sizeof *object);
    if (object == NULL) abort();
    object->kind = kind;
    object->destroy = destroy;
    object->references = 1;
    return object;
}

Handle stand_in_publish(Object *object) {
    pthread_mutex_lock(&lock);
    object->handle = (Handle)next_handle;
    next_handle += 16;
    object->next = objects;
    objects = object;
    live[object->kind] += 1;
    pthread_mutex_unlock(&lock);
    return object->handle;
}

Object *stand_in_find(Kind kind, Handle handle) {
    pthread_mutex_lock(&lock);
    Object *found = *place_of(kind, handle);
    pthread_mutex_unlock(&lock);
    if (found == NULL) stand_in_fail(INVALID_ARGUMENT, "The handle is invalid.");
    return found;
}

Status stand_in_reference(Kind kind, Handle handle, int change, int *count) {
    pthread_mutex_lock(&lock);
    Object **place = place_of(kind, handle), *object = *place;
    int left = object == NULL ? -1 : (object->references += change);
    if (left == 0) {
        *place = object->next;
        live[kind] -= 1;
    }
    pthread_mutex_unlock(&lock);
    if (left < 0) return stand_in_fail(INVALID_ARGUMENT, "The handle is invalid.");
    if (count != NULL) *count = left;
    if (left == 0) {
        object->destroy(object);
        free(object);
    }
    return SUCCESS;
}

Status stand_in_fail(Status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return last_status = status;
}

/* As in CV-CUDA, reading it clears it. */
Status nvcvGetLastErrorMessage(char *text, int32_t len) {
    if (text != NULL && len > 0) snprintf(text, (size_t)len, "%s", message);
    Status status = last_status;
    message[0] = '\0';
    last_status = SUCCESS;
    return status;
}

void stand_in_record(const char *text) {
    pthread_mutex_lock(&lock);
    snprintf(last_call, sizeof last_call, "%s", text);
    pthread_mutex_unlock(&lock);
}

/* The slot of a function; the last one for all that find no other. */
static int slot_of(const char *function) {
    int slot = 0;
    while (slot < FUNCTIONS - 1 && functions[slot].name && strcmp(functions[slot].name, function)) slot += 1;
    return slot;
}

Status stand_in_begin(const char *function) {
    pthread_mutex_lock(&lock);
    int slot = slot_of(function);
    functions[slot].name = function;
    functions[slot].calls += 1;
    int fails = strcmp(failure.function, function) == 0;
    if (fails) failure.function[0] = '\0';
    Status status = fails ? stand_in_fail(failure.status, "%s", failure.message) : SUCCESS;
    pthread_mutex_unlock(&lock);
    return status;
}

/* From here on for tests. */

int stand_in_live(Kind kind) {
    pthread_mutex_lock(&lock);
    int count = live[kind];
    pthread_mutex_unlock(&lock);
    return count;
}

int stand_in_calls(const char *function) {
    pthread_mutex_lock(&lock);
    int slot = slot_of(function);
    int calls = functions[slot].name == NULL ? 0 : functions[slot].calls;
    pthread_mutex_unlock(&lock);
    return calls;
}

/* The arguments of the last call of an operator. */
void stand_in_last_call(char *text, int32_t len) {
    pthread_mutex_lock(&lock);
    snprintf(text, (size_t)len, "%s", last_call);
    pthread_mutex_unlock(&lock);
}

/* Has the next call of this function fail before it does anything. */
void stand_in_fail_next(const char *function, Status status, const char *text) {
    pthread_mutex_lock(&lock);
    snprintf(failure.function, sizeof failure.function, "%s", function);
    snprintf(failure.message, sizeof failure.message, "%s", text);
    failure.status = status;
    pthread_mutex_unlock(&lock);
}
