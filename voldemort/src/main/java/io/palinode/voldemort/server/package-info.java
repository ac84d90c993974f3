/**
 * A store node as a process part: its folder, its engines, its clock, and the socket on which it
 * speaks Voldemort's pb0 and native protocols.
 *
 * <p>Guarantees: the requests of one connection are run and answered in the order they came in;
 * each connection holds a bounded number of requests, and a slow reader of answers is not read
 * from.
 */
@NullMarked
package io.palinode.voldemort.server;

import org.jspecify.annotations.NullMarked;
