/**
 * TLS of listeners and clients, from PEM files, and files with users that are read again.
 *
 * <p>Promise: an {@link javax.net.ssl.SSLContext} of a server stays the same object while its files
 * change. New connections use the new files; a file that cannot be read changes nothing.
 */
@NullMarked
package io.palinode.tls;

import org.jspecify.annotations.NullMarked;
