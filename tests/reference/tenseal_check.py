"""Uses exports of hebatch in Microsoft SEAL (through TenSEAL): tenseal_check.py KEYS CIPHERTEXTS FIRST-VALUES...
Loads all keys and ct-000000.seal, decrypts, rotates by one, squares and relinearizes, encrypts with the public key."""
import sys

from tenseal import sealapi

keys, ciphertexts, values = sys.argv[1], sys.argv[2], [int(x) for x in sys.argv[3:]]
parameters = sealapi.EncryptionParameters(sealapi.SCHEME_TYPE.BFV)
parameters.load(keys + "/parms.seal")
context = sealapi.SEALContext(parameters, True, sealapi.SEC_LEVEL_TYPE.TC128)


def load(kind, path):
    thing = kind()
    thing.load(context, path)
    return thing


secret, public = load(sealapi.SecretKey, keys + "/secret.seal"), load(sealapi.PublicKey, keys + "/public.seal")
relin, galois = load(sealapi.RelinKeys, keys + "/relin.seal"), load(sealapi.GaloisKeys, keys + "/galois.seal")
decryptor, encoder = sealapi.Decryptor(context, secret), sealapi.BatchEncoder(context)
evaluator, encryptor = sealapi.Evaluator(context), sealapi.Encryptor(context, public)
ciphertext = sealapi.Ciphertext(context)
ciphertext.load(context, ciphertexts + "/ct-000000.seal")


def expect(what, wanted):
    plaintext = sealapi.Plaintext()
    decryptor.decrypt(ciphertext, plaintext)
    got = encoder.decode_uint64(plaintext)[:len(wanted)]
    if got != wanted or decryptor.invariant_noise_budget(ciphertext) < 20:
        sys.exit("%s: %s instead of %s" % (what, got, wanted))


expect("as it came", values)
evaluator.rotate_rows_inplace(ciphertext, 1, galois)
expect("rotated by one", values[1:])
evaluator.square_inplace(ciphertext)
evaluator.relinearize_inplace(ciphertext, relin)
expect("squared", [x * x for x in values[1:]])
plaintext = sealapi.Plaintext()
encoder.encode(values, plaintext)
encryptor.encrypt(plaintext, ciphertext)
expect("with the public key", values)
