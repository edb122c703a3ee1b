/* Where a picture lies in a window: in the middle, as large as it fits in whole multiples of its pixels. */
#ifndef SVC_LETTERBOX_H
#define SVC_LETTERBOX_H

typedef struct {
	int x, y, width, height;
} Letterbox;

/* All sizes are in pixels and above 0. In a window that is smaller than the picture, it is reduced to fit. */
Letterbox letterbox(int windowWidth, int windowHeight, int pictureWidth, int pictureHeight);

#endif
