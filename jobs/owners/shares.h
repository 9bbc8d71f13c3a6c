/* Shares of the secret at a session of which some owners decrypt (joint/sharing.h), and the files that they are in. */
#ifndef HB_OWNERS_SHARES_H
#define HB_OWNERS_SHARES_H

#include "folder.h"
#include "io/joint/state_file.h"

/* Puts the sealed shares of all others into the owner's contributions to round 1. HB_EDATA naming an owner whose card
 * has no key to seal for. */
hb_status hb_seat_deal(const hb_seat *seat, hb_message_writer *writer);
/* Puts the polynomials of his shares, blinded, into round 2 for these inputs. */
hb_status hb_seat_blind(const hb_seat *seat, hb_message_writer *writer, const uint8_t inputs[HB_DIGEST_BYTES]);
/* Takes the shares that all owners dealt to this one, compares each with what its dealer showed in round 2, and keeps
 * their sum in the state, whose inputs are known. firsts, seconds: of all owners, checked. HB_EDATA naming the dealer
 * of a wrong share. */
hb_status hb_seat_take_share(const hb_seat *seat, const hb_joint_all *firsts, const hb_joint_all *seconds,
                             hb_joint_state *state);

#endif
