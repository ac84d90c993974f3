package io.palinode.terminal;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a cluster is, and what proves to it who asks. Each field may be absent.
 *
 * @param server the address of the API
 * @param bootstrap addresses of store nodes
 * @param ca the file of the authorities of the servers' certificates
 * @param certificate the file of the user's certificate, with its {@code key}
 * @param tokenFile the file of the user's token
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Context(
    @Nullable String server,
    @Nullable List<String> bootstrap,
    @Nullable String ca,
    @Nullable String certificate,
    @Nullable String key,
    @Nullable String tokenFile) {
  public static final Context NONE = new Context(null, null, null, null, null, null);
}
