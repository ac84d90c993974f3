/**
 * Files of a snapshot: sorted runs, parts and manifests, each with a checksum.
 *
 * <p>Promise: a file is whole, or reading it fails with a {@link
 * io.palinode.retroscope.snapshot.file.SnapshotException} that names it.
 */
@NullMarked
package io.palinode.retroscope.snapshot.file;

import org.jspecify.annotations.NullMarked;
