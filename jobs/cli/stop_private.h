/* Between the handlers of signals and the messages about ranks that are lost, which a process without ranks has not. */
#ifndef HB_CLI_STOP_PRIVATE_H
#define HB_CLI_STOP_PRIVATE_H

/* Forgets requests that were passed on. From now on handlers of requests to stop call `tell_loss`, which is safe
 * there. */
void hb_stop_begin(void (*tell_loss)(void));

#endif
