"""How the allocator keeps what was freed: no loop, but only C can ask for it.

glibc keeps freed arrays of up to 32 MB for the next ones, and holes between them add up: 110 of the
1,090 MB that a million records take.  Arrays of 4 MB and more go back to the system at once, the
end of the heap once 32 MB of it are free.  Other systems decide for themselves.
"""

cdef extern from * nogil:
    """
    #include <stdlib.h>
    #ifdef __GLIBC__
    #include <malloc.h>
    static void return_memory(void) {
        mallopt(M_MMAP_THRESHOLD, 4 << 20);
        mallopt(M_TRIM_THRESHOLD, 32 << 20);
    }
    #else
    static void return_memory(void) {}
    #endif
    """
    void return_memory()


def return_freed():
    """Let this process, and those forked from it, return large arrays when they are freed."""
    return_memory()
