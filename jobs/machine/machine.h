/* What this machine and this process are, as the operating system tells it; and binding to one core, undone. */
#ifndef HB_MACHINE_MACHINE_H
#define HB_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Model and widest vector unit, "unknown" where the system does not say. */
void hb_machine_cpu(char *text, size_t bytes);
/* Processors that this process may run on. */
uint32_t hb_machine_processors(void);
/* Which these are, "0-3,8"; "unknown" where the system does not say. */
void hb_machine_processor_list(char *text, size_t bytes);
/* Processors of this host that are on. */
uint32_t hb_machine_all_processors(void);
/* NVIDIA devices that are visible as files: no driver is asked. */
uint32_t hb_machine_gpus(void);
/* Bytes of memory of this host; 0: unknown. */
uint64_t hb_machine_memory(void);
/* Peak resident bytes of this process; 0: unknown. */
uint64_t hb_peak_bytes(void);
/* Seconds since this process began, as exactly as the system keeps that: a hundredth; 0: unknown. */
double hb_process_age(void);

/* Open MPI's mpirun binds each of two ranks or fewer to a core unless it is told otherwise. A rank that feeds a GPU has
 * a dozen threads that read, write and arrange, and takes three times as long on one core. Where that binding is
 * mpirun's own idea, lets the calling thread, and those that it starts from now on, run wherever the system allows.
 * True if it did. What the user (--bind-to, --map-by, or their variables), Slurm or a control group asked for stays. */
bool hb_core_unbind(void);

#endif
