package io.palinode.orchestrator.rest.access;

import io.javalin.http.Context;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A line for each request that changes something, or was not allowed to. Thread-safe. */
public final class AuditLog {
  private static final Logger log = LoggerFactory.getLogger("io.palinode.audit");
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;

  private AuditLog() {}

  /** For a request that was answered. */
  public static void write(Context ctx) {
    int status = ctx.statusCode();
    if (ctx.method().toString().equals("GET") && status != UNAUTHORIZED && status != FORBIDDEN) {
      return;
    }
    String user = Access.userName(ctx);
    log.info(
        "user={} from={} request=\"{} {}\" status={}",
        user.isEmpty() ? "-" : user,
        ctx.ip(),
        ctx.method(),
        ctx.path(),
        status);
  }
}
