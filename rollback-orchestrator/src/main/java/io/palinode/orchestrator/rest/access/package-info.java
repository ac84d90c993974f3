/**
 * Who may use an HTTP server of Palinode: users with roles, TLS, and the audit log.
 *
 * <p>Promise: if a users file is named, each request that is not for {@link Role#ANYONE} belongs to
 * a user whose role covers the route's. Without one, every client may do everything, and the server
 * listens beyond this machine only if that is allowed explicitly.
 */
@NullMarked
package io.palinode.orchestrator.rest.access;

import org.jspecify.annotations.NullMarked;
