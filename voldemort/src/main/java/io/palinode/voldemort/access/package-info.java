/**
 * What the clients of a node may do, by their certificates.
 *
 * <p>Promise: a client has the rights that the users file gives its certificate now, and no others.
 * Without a users file, each certificate of the authority has all rights.
 */
@NullMarked
package io.palinode.voldemort.access;

import org.jspecify.annotations.NullMarked;
