"""The data's owner, in Python with TenSEAL: encrypts a table for a server that runs hebatch, and decrypts what comes back.

  tenseal-client.py encrypt TABLE.csv FOLDER     makes FOLDER/secret.seal (the owner's), FOLDER/keys (what the server gets:
                                                 parms, public and relin .seal) and FOLDER/table (one ciphertext a column)
  tenseal-client.py decrypt FOLDER DIR ROWS OUT  writes the first ROWS values of each ciphertext in DIR, one a line
"""
import csv
import glob
import os
import sys

import tenseal as ts
from tenseal import sealapi


def encrypt(table, folder):
    context = ts.context(ts.SCHEME_TYPE.BFV, poly_modulus_degree=8192, plain_modulus=1032193)
    for name in ("keys", "table"):
        os.makedirs(os.path.join(folder, name))
    secret = os.path.join(folder, "secret.seal")
    os.close(os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    context.secret_key().data.save(secret)
    keys = os.path.join(folder, "keys")
    context.seal_context().data.key_context_data().parms().save(os.path.join(keys, "parms.seal"))
    context.public_key().data.save(os.path.join(keys, "public.seal"))
    context.relin_keys().data.save(os.path.join(keys, "relin.seal"))
    with open(table, newline="") as file:
        rows = list(csv.reader(file))[1:]
    for number, column in enumerate(zip(*rows)):
        vector = ts.bfv_vector(context, [int(value) for value in column])
        vector.ciphertext()[0].save(os.path.join(folder, "table", "ct-%06d.seal" % number))


def decrypt(folder, results, rows, output):
    parameters = sealapi.EncryptionParameters(sealapi.SCHEME_TYPE.BFV)
    parameters.load(os.path.join(folder, "keys", "parms.seal"))
    context = sealapi.SEALContext(parameters, True, sealapi.SEC_LEVEL_TYPE.TC128)
    secret = sealapi.SecretKey()
    secret.load(context, os.path.join(folder, "secret.seal"))
    decryptor = sealapi.Decryptor(context, secret)
    encoder = sealapi.BatchEncoder(context)
    with open(output, "w") as file:
        for path in sorted(glob.glob(os.path.join(results, "ct-*.seal"))):
            ciphertext, plaintext = sealapi.Ciphertext(context), sealapi.Plaintext()
            ciphertext.load(context, path)
            decryptor.decrypt(ciphertext, plaintext)
            file.writelines("%d\n" % value for value in encoder.decode_uint64(plaintext)[:rows])


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "encrypt":
        encrypt(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 6 and sys.argv[1] == "decrypt":
        decrypt(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
    else:
        sys.exit(__doc__)
