/* Handlers of signals print messages about lost ranks by this. A process without ranks has no such messages. */
#ifndef HB_CLI_STOP_PRIVATE_H
#define HB_CLI_STOP_PRIVATE_H

/* Forgets requests that were passed on. From now on handlers of requests to stop call `tell_loss`, which is safe
 * there. */
void hb_stop_begin(void (*tell_loss)(void));

#endif
