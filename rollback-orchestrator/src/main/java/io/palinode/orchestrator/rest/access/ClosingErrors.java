package io.palinode.orchestrator.rest.access;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/**
 * Jetty's own answers, such as that to a URL that is none. Jetty closes the connection after it and
 * does not say so: a client would lose its next request.
 */
final class ClosingErrors extends ErrorHandler {
  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    response.getHeaders().put(HttpFields.CONNECTION_CLOSE);
    return super.handle(request, response, callback);
  }
}
