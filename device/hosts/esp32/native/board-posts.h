/* Posts to the management machine's task (event-loop.h). */
#ifndef SVC_BOARD_POSTS_H
#define SVC_BOARD_POSTS_H

/* Call once `machine` exists, and before the first post. */
void board_posts_start(void);

#endif
