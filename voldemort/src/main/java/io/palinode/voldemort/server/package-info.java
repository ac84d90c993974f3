/**
 * A store node as part of a process: folder, engines, clock, and the socket for Voldemort's pb0 and
 * native protocols.
 *
 * <p>Guarantees: the requests of one connection run, and are answered, in order. Each connection
 * has a bounded number of requests. A node does not read from a client that does not read its
 * answers.
 */
@NullMarked
package io.palinode.voldemort.server;

import org.jspecify.annotations.NullMarked;
