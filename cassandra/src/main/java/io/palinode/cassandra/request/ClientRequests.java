package io.palinode.cassandra.request;

import io.palinode.cassandra.node.ServerNode;
import io.palinode.cql.protocol.Context;
import io.palinode.cql.protocol.Fence;
import io.palinode.hvc.ClockDriftException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.cassandra.cql3.BatchQueryOptions;
import org.apache.cassandra.cql3.CQLStatement;
import org.apache.cassandra.cql3.QueryHandler;
import org.apache.cassandra.cql3.QueryOptions;
import org.apache.cassandra.cql3.QueryProcessor;
import org.apache.cassandra.cql3.statements.BatchStatement;
import org.apache.cassandra.cql3.statements.ModificationStatement;
import org.apache.cassandra.cql3.statements.SelectStatement;
import org.apache.cassandra.exceptions.InvalidRequestException;
import org.apache.cassandra.exceptions.RequestExecutionException;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.service.QueryState;
import org.apache.cassandra.transport.Dispatcher;
import org.apache.cassandra.transport.messages.ResultMessage;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.apache.cassandra.utils.MD5Digest;
import org.jspecify.annotations.Nullable;

/**
 * Cassandra's own handler of statements, which also reads and writes contexts. A request without
 * one is Cassandra's alone. Thread-safe.
 */
public final class ClientRequests implements QueryHandler {
  private final QueryProcessor cassandra = QueryProcessor.instance;

  @Override
  public CQLStatement parse(String query, QueryState state, QueryOptions options) {
    return cassandra.parse(query, state, options);
  }

  @Override
  public ResultMessage.Prepared prepare(
      String query, ClientState state, Map<String, ByteBuffer> payload) {
    return cassandra.prepare(query, state, payload);
  }

  @Override
  public QueryHandler.Prepared getPrepared(MD5Digest id) {
    return cassandra.getPrepared(id);
  }

  @Override
  public ResultMessage process(
      CQLStatement statement,
      QueryState state,
      QueryOptions options,
      Map<String, ByteBuffer> payload,
      Dispatcher.RequestTime time) {
    return answer(
        statement, payload, () -> cassandra.process(statement, state, options, payload, time));
  }

  @Override
  public ResultMessage processPrepared(
      CQLStatement statement,
      QueryState state,
      QueryOptions options,
      Map<String, ByteBuffer> payload,
      Dispatcher.RequestTime time) {
    return answer(
        statement,
        payload,
        () -> cassandra.processPrepared(statement, state, options, payload, time));
  }

  @Override
  public ResultMessage processBatch(
      BatchStatement statement,
      QueryState state,
      BatchQueryOptions options,
      Map<String, ByteBuffer> payload,
      Dispatcher.RequestTime time) {
    return answer(
        statement, payload, () -> cassandra.processBatch(statement, state, options, payload, time));
  }

  private static ResultMessage answer(
      CQLStatement statement,
      @Nullable Map<String, ByteBuffer> payload,
      Supplier<ResultMessage> process) {
    ServerNode server = ServerNode.known();
    ByteBuffer sent = payload == null ? null : payload.get(Context.KEY);
    if (sent == null) {
      return process.get();
    }
    if (server == null || !touches(statement, server.refusals()::isWatched)) {
      ResultMessage result = process.get();
      // The client sees that this server reads contexts.
      add(result, Context.of(Context.UNKNOWN, null));
      return result;
    }
    Context request = context(sent);
    receive(server, request);
    return answer(server, request.epoch(), process);
  }

  private static boolean touches(CQLStatement statement, Predicate<TableMetadata> tables) {
    if (statement instanceof SelectStatement select) {
      return tables.test(select.table);
    }
    if (statement instanceof ModificationStatement change) {
      return tables.test(change.metadata());
    }
    return statement instanceof BatchStatement batch
        && batch.getStatements().stream().anyMatch(each -> tables.test(each.metadata()));
  }

  private static Context context(ByteBuffer sent) {
    try {
      return Context.decode(ByteBufferUtil.getArray(sent));
    } catch (IllegalArgumentException e) {
      throw new InvalidRequestException(e.getMessage(), e);
    }
  }

  private static void receive(ServerNode server, Context request) {
    try {
      if (request.clock() != null) {
        server.tick(request.clock());
      }
    } catch (ClockDriftException e) {
      throw new InvalidRequestException(e.getMessage(), e);
    }
  }

  /**
   * The result, if the epoch lasts until it is there. Some replica may else not have carried out
   * the request, or may have carried it out in an earlier epoch.
   */
  private static ResultMessage answer(
      ServerNode server, long requestEpoch, Supplier<ResultMessage> process) {
    Contexts contexts = new Contexts(server);
    require(contexts.refusal(requestEpoch));
    long epoch = requestEpoch == Context.UNKNOWN ? contexts.epoch() : requestEpoch;
    long refusals = server.peers().refusals();
    RequestState.begin(epoch, null);
    ResultMessage result;
    try {
      result = process.get();
    } catch (RequestExecutionException e) {
      require(contexts.refusal(epoch));
      if (server.peers().refusals() != refusals) {
        // Another replica does not serve the epoch yet.
        require(Fence.paused(epoch));
      }
      throw e;
    }
    require(contexts.refusal(epoch));
    add(result, contexts.of(epoch));
    return result;
  }

  private static void require(@Nullable Fence refusal) {
    if (refusal != null) {
      throw new InvalidRequestException(refusal.message());
    }
  }

  private static void add(ResultMessage result, Context context) {
    Map<String, ByteBuffer> known = result.getCustomPayload();
    Map<String, ByteBuffer> payload = known == null ? new HashMap<>() : new HashMap<>(known);
    payload.put(Context.KEY, ByteBuffer.wrap(context.encode()));
    result.setCustomPayload(payload);
  }
}
