/**
 * Where the text is: a file that a web server beside the simulated console has. On a board, 127.0.0.1 is the console itself: put the
 * server's own address here. `https` works where the console has TLS.
 */
export const ADDRESS = "http://127.0.0.1:8000/notice.txt";
