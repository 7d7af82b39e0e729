// SPDX-License-Identifier: Apache-2.0

/// How an attempt to connect, or a link, ended that was not asked to.
public struct LinkFailure: Hashable, Sendable {
}
