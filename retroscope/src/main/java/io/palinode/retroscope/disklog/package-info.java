/**
 * The continuation of a window-log in files, and their compaction (ADR 0012). A core: a {@link
 * io.palinode.retroscope.disklog.LogVolume} does the I/O.
 *
 * <p>Promise: a damaged file is found when it is opened or read, and is never read as whole. A
 * power loss resets the reach.
 */
@NullMarked
package io.palinode.retroscope.disklog;

import org.jspecify.annotations.NullMarked;
