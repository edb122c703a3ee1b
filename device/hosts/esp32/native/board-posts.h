/* What is posted to the management machine's task (event-loop.h). */
#ifndef SVC_BOARD_POSTS_H
#define SVC_BOARD_POSTS_H

/* Once `machine` is there, and before anybody posts. */
void board_posts_start(void);

#endif
