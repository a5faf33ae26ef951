/* SPDX-License-Identifier: MIT */
/*
 * Clears are commands in the bins, in order with primitives. A clear that overwrites every bit of a
 * tile empties the tile's bin first: what was drawn there cannot be seen any more.
 */
#include "renderer/internal.h"
#include "vm/base/fpenv.h"

/* Whether a clear of a whole tile leaves nothing of what was there. */
static bool overwrites(const struct rn_clear_cmd *cmd, const struct rn_framebuffer *fb) {
    for (unsigned i = 0; i < fb->color_count && i < RN_MAX_COLORS; i++) {
        if (fb->color[i].image && !cmd->color[i].all) {
            return false;
        }
    }
    const struct rn_clear *clear = &cmd->clear;
    return (clear->depth || !fb->depth.image) &&
           ((clear->stencil && clear->stencil_mask == 0xFF) || !fb->stencil.image);
}

static bool contains_tile(const struct rn_rect *rect, const struct rn_framebuffer *fb, int32_t tx,
                          int32_t ty) {
    const int32_t x1 =
        (tx + 1) * RN_TILE < (int32_t)fb->width ? (tx + 1) * RN_TILE : (int32_t)fb->width;
    const int32_t y1 =
        (ty + 1) * RN_TILE < (int32_t)fb->height ? (ty + 1) * RN_TILE : (int32_t)fb->height;
    return rect->x0 <= tx * RN_TILE && rect->y0 <= ty * RN_TILE && rect->x1 >= x1 && rect->y1 >= y1;
}

static enum vliw_status clear_bins(struct rn_context *context, const struct rn_clear *clear,
                                   struct rn_rect rect) {
    struct rn_scene *scene = &context->scene;
    struct rn_clear_cmd *cmd = arena_alloc_raw(&scene->arena, sizeof *cmd, 16);
    if (!cmd) {
        return VLIW_ERR_MEMORY;
    }
    cmd->clear = *clear;
    cmd->clear.framebuffer = NULL; /* the scene's */
    cmd->clear.rect = rect;
    rn_clear_encode(cmd, &scene->fb);
    scene->bytes += sizeof *cmd;
    const bool drops = overwrites(cmd, &scene->fb);
    for (int32_t ty = rect.y0 >> RN_TILE_SHIFT; ty <= (rect.y1 - 1) >> RN_TILE_SHIFT; ty++) {
        for (int32_t tx = rect.x0 >> RN_TILE_SHIFT; tx <= (rect.x1 - 1) >> RN_TILE_SHIFT; tx++) {
            struct rn_bin *bin = &scene->bins[(size_t)ty * scene->tiles_x + (size_t)tx];
            if (drops && bin->head && contains_tile(&rect, &scene->fb, tx, ty)) {
                bin->head->next = NULL;
                bin->head->count = 0;
                bin->tail = bin->head;
            }
            if (!rn_bin_append(bin, &scene->arena, (rn_cmd)cmd | RN_CMD_CLEAR)) {
                return VLIW_ERR_MEMORY;
            }
            scene->bytes += sizeof(rn_cmd);
        }
    }
    scene->empty = false;
    return VLIW_OK;
}

enum vliw_status rn_clear(struct rn_context *context, const struct rn_clear *clear) {
    if (context->fault.status != VLIW_OK) {
        return VLIW_OK;
    }
    const struct rn_framebuffer *fb = clear->framebuffer;
    const struct rn_rect whole = {0, 0, (int32_t)fb->width, (int32_t)fb->height};
    const struct rn_rect rect = rn_rect_intersect(clear->rect, whole);
    const bool colors = clear->color_mask && clear->color_buffers;
    if (rn_rect_empty(rect) ||
        !(colors || clear->depth || (clear->stencil && clear->stencil_mask))) {
        return VLIW_OK;
    }
    const struct fpenv env = fpenv_enter(); /* opening a scene may run the one before */
    enum vliw_status status = VLIW_ERR_MEMORY;
    rn_gather_drain(context);
    if (rn_scene_bytes(context) > RN_SCENE_BYTES) {
        rn_scene_flush(context);
    }
    if (rn_scene_open(context, fb)) {
        status = clear_bins(context, clear, rect);
    }
    fpenv_leave(&env);
    return rn_gather_status(context, status);
}

void rn_invalidate(struct rn_context *context, const struct rn_framebuffer *framebuffer,
                   uint8_t colors, bool depth, bool stencil) {
    /* A hint, and not taken: what stayed in the attachments would depend on when the scene was
     * flushed, and the same calls must give the same bits. */
    (void)context;
    (void)framebuffer;
    (void)colors;
    (void)depth;
    (void)stencil;
}
