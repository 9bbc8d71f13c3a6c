/* Binding to one core that a launcher does of its own accord. */
#ifndef HB_MACHINE_CORE_BINDING_H
#define HB_MACHINE_CORE_BINDING_H

#include <stdbool.h>

/* Open MPI's mpirun binds each of two ranks or fewer to a core unless it is told otherwise. A rank that feeds a GPU has
 * a dozen threads that read, write and arrange, and takes three times as long on one core. Where that binding is
 * mpirun's own idea, lets the calling thread, and those that it starts from now on, run wherever the system allows.
 * True if it did. What the user (--bind-to, --map-by, or their variables), Slurm or a control group asked for stays. */
bool hb_core_unbind(void);

#endif
