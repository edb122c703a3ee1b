#include "letterbox.h"

static int smaller(int one, int other)
{
	return one < other ? one : other;
}

static int at_least_one(int value)
{
	return value > 0 ? value : 1;
}

static Letterbox centred(int windowWidth, int windowHeight, int width, int height)
{
	return (Letterbox){ (windowWidth - width) / 2, (windowHeight - height) / 2, width, height };
}

Letterbox letterbox(int windowWidth, int windowHeight, int pictureWidth, int pictureHeight)
{
	const int scale = smaller(windowWidth / pictureWidth, windowHeight / pictureHeight);
	if (scale > 0)
		return centred(windowWidth, windowHeight, scale * pictureWidth, scale * pictureHeight);
	// In 64 bits, since products of sizes may exceed 32.
	const int width = smaller(windowWidth, (int)((long long)windowHeight * pictureWidth / pictureHeight));
	const int height = smaller(windowHeight, (int)((long long)windowWidth * pictureHeight / pictureWidth));
	return centred(windowWidth, windowHeight, at_least_one(width), at_least_one(height));
}
