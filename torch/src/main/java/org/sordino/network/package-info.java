/**
 * Neural networks as models of training runs: {@link org.sordino.network.NetworkLearner} for tables
 * and {@link org.sordino.network.ImageTask} for image data sets. The module {@code runs} loads both
 * as services. libtorch is loaded only when a network is used.
 */
@NullMarked
package org.sordino.network;

import org.jspecify.annotations.NullMarked;
