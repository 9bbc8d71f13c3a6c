/* Models as HDF5 (README.md): attributes and names, which a process of its own reads, become the document that a JSON
 * file holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/table/table.h"
#include "model_private.h"

/* Groups layer0, layer1, .. become the list "layers"; a group beside them stays, and is refused as an unknown
 * member. */
static hb_status list_layers(const hb_model_reader *r, json_t *document)
{
    json_t *layers = json_array();
    hb_status st = layers != NULL ? HB_OK : hb_model_no_memory(r);
    for (uint32_t i = 0; st == HB_OK && i < HB_MODEL_MOST_LAYERS; i++) {
        char name[32];
        snprintf(name, sizeof name, "layer%u", i);
        json_t *layer = json_object_get(document, name);
        if (layer == NULL) {
            break;
        }
        if (json_array_append(layers, layer) != 0 || json_object_del(document, name) != 0) {
            st = hb_model_no_memory(r);
        }
    }
    if (st == HB_OK && json_array_size(layers) > 0) {
        const bool whole = (json_object_get(document, "kind") != NULL ||
                            json_object_set_new(document, "kind", json_string("network")) == 0) &&
                           json_object_set(document, "layers", layers) == 0;
        st = whole ? HB_OK : hb_model_no_memory(r);
    }
    json_decref(layers);
    return st;
}

hb_status hb_model_read_h5(const hb_model_reader *r, json_t **document)
{
    json_error_t error;
    char *text = NULL;
    HB_TRY(hb_table_h5_attributes(r->path, &text));
    *document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (*document == NULL) {
        return hb_model_fail(r, "its names and attributes: %s", error.text);
    }
    if (json_object_get(*document, "layers") != NULL) {
        return hb_model_fail(r, "layers are groups, layer0, layer1, ...");
    }
    return list_layers(r, *document);
}
