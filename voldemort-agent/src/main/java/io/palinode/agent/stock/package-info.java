/**
 * The stores, hints and settings of the server, reached by reflection, as a storage engine of our
 * node.
 *
 * <p>Guarantee: a commit over several keys is all or nothing, also across a crash. Classes of the
 * server are named by text only ({@link io.palinode.agent.stock.StockTypes}).
 */
@NullMarked
package io.palinode.agent.stock;

import org.jspecify.annotations.NullMarked;
