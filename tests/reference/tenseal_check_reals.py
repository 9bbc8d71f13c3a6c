"""Keys and ciphertexts of CKKS that hebatch exports, used by Microsoft SEAL (through TenSEAL):
tenseal_check_reals.py KEYS CIPHERTEXTS FIRST-VALUES...
Loads all keys and ct-000000.seal, and decrypts; makes ciphertexts of the values: fresh.seal, their squares square.seal, and
scaled.seal of another scale; encrypts, rotates by one, conjugates, squares, relinearizes and rescales, and decrypts."""
import sys

from tenseal import sealapi

keys, ciphertexts, first, scale = sys.argv[1], sys.argv[2], [float(x) for x in sys.argv[3:]], 2.0**40
parameters = sealapi.EncryptionParameters(sealapi.SCHEME_TYPE.CKKS)
parameters.load(keys + "/parms.seal")
context = sealapi.SEALContext(parameters, True, sealapi.SEC_LEVEL_TYPE.TC128)


def load(kind, path):
    thing = kind()
    thing.load(context, path)
    return thing


secret, public = load(sealapi.SecretKey, keys + "/secret.seal"), load(sealapi.PublicKey, keys + "/public.seal")
relin, galois = load(sealapi.RelinKeys, keys + "/relin.seal"), load(sealapi.GaloisKeys, keys + "/galois.seal")
decryptor, encoder = sealapi.Decryptor(context, secret), sealapi.CKKSEncoder(context)
evaluator, encryptor = sealapi.Evaluator(context), sealapi.Encryptor(context, public)
ciphertext, values = sealapi.Ciphertext(context), [0.5 * i - 3 for i in range(64)]


def expect(what, wanted, ciphertext):
    plaintext = sealapi.Plaintext()
    decryptor.decrypt(ciphertext, plaintext)
    got = encoder.decode_double(plaintext)[:len(wanted)]
    if any(abs(a - b) > 2**-16 for a, b in zip(got, wanted)):
        sys.exit("%s: %s instead of %s" % (what, got, wanted))


ciphertext.load(context, ciphertexts + "/ct-000000.seal")
expect("as it came", first, ciphertext)
plaintext = sealapi.Plaintext()
encoder.encode(values, scale, plaintext)
encryptor.encrypt(plaintext, ciphertext)
expect("with the public key", values, ciphertext)
evaluator.rotate_vector_inplace(ciphertext, 1, galois)
expect("rotated by one", values[1:], ciphertext)
evaluator.complex_conjugate_inplace(ciphertext, galois)
expect("conjugated", values[1:], ciphertext)
evaluator.square_inplace(ciphertext)
evaluator.relinearize_inplace(ciphertext, relin)
evaluator.rescale_to_next_inplace(ciphertext)
expect("squared", [x * x for x in values[1:]], ciphertext)

# Rescaled, a product has a scale of its own, before it is said to have the one that is meant.
encoder.encode(first, scale, plaintext)
encryptor.encrypt(plaintext, ciphertext)
ciphertext.save("fresh.seal")
evaluator.square_inplace(ciphertext)
evaluator.relinearize_inplace(ciphertext, relin)
evaluator.rescale_to_next_inplace(ciphertext)
ciphertext.save("scaled.seal")
ciphertext.scale = scale
ciphertext.save("square.seal")
