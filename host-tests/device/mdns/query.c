/*
 * query NAME ADDRESS...: asks each address for the A record of NAME by unicast, in this order, and prints each answer: its
 * sender, its IP time to live, and the address in it. Ends after the answer of the last.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static unsigned char query[512];
static size_t queryLength;

static void put(const void *bytes, size_t length)
{
	memcpy(query + queryLength, bytes, length);
	queryLength += length;
}

static void write_query(const char *name)
{
	static const unsigned char head[] = { 0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 }, end[] = { 0, 0, 1, 0, 1 };
	put(head, sizeof(head));
	while (*name) {
		const unsigned char length = (unsigned char)strcspn(name, ".");
		put(&length, 1);
		put(name, length);
		name += length + (name[length] == '.');
	}
	put(end, sizeof(end));
}

/* The answer repeats the question; then come a name of two bytes, type, class, time to live and length. */
static struct in_addr receive_answer(int fd)
{
	unsigned char answer[1500], control[64];
	struct sockaddr_in from;
	struct iovec part = { answer, sizeof(answer) };
	struct msghdr message = {
		.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &part, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct in_addr address = { 0 };
	int timeToLive = 0;
	if (recvmsg(fd, &message, 0) >= (ssize_t)queryLength + 16)
		memcpy(&address, answer + queryLength + 12, sizeof(address));
	if (CMSG_FIRSTHDR(&message))
		memcpy(&timeToLive, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(timeToLive));
	printf("from %s, time to live %d: ", inet_ntoa(from.sin_addr), timeToLive);
	printf("%s\n", inet_ntoa(address));
	return from.sin_addr;
}

int main(int count, char *arguments[])
{
	const int yes = 1, fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(5353) };
	setsockopt(fd, IPPROTO_IP, IP_RECVTTL, &yes, sizeof(yes));
	write_query(arguments[1]);
	for (int index = 2; index < count; index++) {
		inet_pton(AF_INET, arguments[index], &to.sin_addr);
		sendto(fd, query, queryLength, 0, (struct sockaddr *)&to, sizeof(to));
	}
	while (receive_answer(fd).s_addr != to.sin_addr.s_addr)
		continue;
	return 0;
}
