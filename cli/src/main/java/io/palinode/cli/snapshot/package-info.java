/** {@code palinode snapshot}: takes, lists, verifies, compares and schedules snapshots. */
@NullMarked
package io.palinode.cli.snapshot;

import org.jspecify.annotations.NullMarked;
