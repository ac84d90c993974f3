/**
 * A window-log's files in a folder. A folder is one log's, and one process's at a time: the owner
 * sees to that.
 */
@NullMarked
package io.palinode.retroscope.disk;

import org.jspecify.annotations.NullMarked;
