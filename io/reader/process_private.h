/* The process of a reader (process.h), for the files that send its requests. */
#ifndef HB_IO_READER_PROCESS_PRIVATE_H
#define HB_IO_READER_PROCESS_PRIVATE_H

#include "process.h"

/* Makes socket, memory and process, which gets the open file `fd` of the table. hb_h5_process_close closes them also
 * after a failure. HB_EUNAVAILABLE. */
hb_status hb_h5_process_start(hb_h5_process *process, int fd);
/* Sends all of it; receives exactly that much. When the reader is gone, finds out why: HB_EDATA, HB_ENOMEM,
 * HB_EUNAVAILABLE. Ends a reader that only waits, HB_EIO, and one whose answer is no longer wanted, with the failure of
 * `reader->stopped`; after that there is no reader. */
hb_status hb_h5_process_tell(hb_h5_process *process, const void *data, size_t bytes);
hb_status hb_h5_process_hear(hb_h5_process *process, void *data, size_t bytes);

#endif
