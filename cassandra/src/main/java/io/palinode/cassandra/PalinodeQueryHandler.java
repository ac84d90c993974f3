package io.palinode.cassandra;

import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.cassandra.cql3.BatchQueryOptions;
import org.apache.cassandra.cql3.CQLStatement;
import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.cql3.statements.BatchStatement;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.service.QueryState;
import org.apache.cassandra.transport.Dispatcher;
import org.apache.cassandra.transport.messages.ResultMessage;
import org.apache.cassandra.utils.MD5Digest;

/**
 * The handler of statements that {@code cassandra.custom_query_handler_class} names. It reads the
 * epoch and the clock of clients that send them. Thread-safe.
 */
public class PalinodeQueryHandler implements QueryHandler {
  private static final String HANDLER = "io.palinode.cassandra.request.ClientRequests";

  private final QueryHandler own;

  /** Throws {@link IllegalStateException} if the jar is not whole; the server then stops. */
  public PalinodeQueryHandler() {
    try {
      own =
          (QueryHandler) OwnLoader.LOADER.loadClass(HANDLER).getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the jar of palinode-cassandra is not whole", e);
    }
  }

  @Override
  public CQLStatement parse(String query, QueryState state, QueryOptions options) {
    return own.parse(query, state, options);
  }

  @Override
  public ResultMessage process(
      CQLStatement statement,
      QueryState state,
      QueryOptions options,
      Map<String, ByteBuffer> payload,
      Dispatcher.RequestTime time) {
    return own.process(statement, state, options, payload, time);
  }

  @Override
  public ResultMessage.Prepared prepare(
      String query, ClientState state, Map<String, ByteBuffer> payload) {
    return own.prepare(query, state, payload);
  }

  @Override
  public QueryHandler.Prepared getPrepared(MD5Digest id) {
    return own.getPrepared(id);
  }

  @Override
  public ResultMessage processPrepared(
      CQLStatement statement,
      QueryState state,
      QueryOptions options,
      Map<String, ByteBuffer> payload,
      Dispatcher.RequestTime time) {
    return own.processPrepared(statement, state, options, payload, time);
  }

  @Override
  public ResultMessage processBatch(
      BatchStatement statement,
      QueryState state,
      BatchQueryOptions options,
      Map<String, ByteBuffer> payload,
      Dispatcher.RequestTime time) {
    return own.processBatch(statement, state, options, payload, time);
  }
}
