/* Facts about this machine and this process, from the operating system; and undoing the binding to one core.
 * Rank-local. Nothing fails: unknown facts are reported as unknown. */
#ifndef HB_MACHINE_MACHINE_H
#define HB_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes the model and the widest vector unit that the program uses into text [bytes], cut to fit; "unknown processor"
 * where the system does not say. */
void hb_machine_cpu(char *text, size_t bytes);
/* Returns the number of processors that this thread may run on, 1 or more. */
uint32_t hb_machine_processors(void);
/* Returns the number of processors that each of so many processes of this host has, 1 or more: its own, where it is
 * bound to some; else, as each sees all of them, its share. */
uint32_t hb_machine_processors_each(uint32_t processes);
/* Returns the number of NVIDIA devices that are visible as files (/dev/nvidia0, ...); no driver is asked. */
uint32_t hb_machine_gpus(void);
/* Returns the bytes of memory that each of so many processes of this host has: its share, or what the process may take
 * (RLIMIT_AS) where that is less; UINT64_MAX where unknown. */
uint64_t hb_machine_memory_each(uint32_t processes);
/* Returns the same without the addresses that this process has taken already, where RLIMIT_AS bounds it: what a plan
 * may still take. Processes of a host may differ. */
uint64_t hb_machine_memory_left(uint32_t processes);
/* Returns the peak resident bytes of this process; 0 where unknown. */
uint64_t hb_peak_bytes(void);
/* Returns the seconds since this process began, to a hundredth; 0 where unknown. */
double hb_process_age(void);

/* Undoes a binding to one core that mpirun made by default: lets the calling thread, and threads that it starts from
 * now on, run wherever the system allows. Open MPI's mpirun binds each of two ranks or fewer to a core unless it is
 * told otherwise. A rank that feeds a GPU has a dozen threads that read, write and arrange, and takes three times as
 * long on one core. Returns whether it undid a binding. A binding that the user (--bind-to, --map-by, or their
 * variables), Slurm or a control group asked for stays. */
bool hb_core_unbind(void);

#endif
