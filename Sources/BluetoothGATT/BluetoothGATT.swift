// SPDX-License-Identifier: Apache-2.0

// The Generic Attribute Profile, which defines how a database of attributes describes services.
//
// ATT, the layer below, has handles, types and values. GATT defines how some attributes describe
// others. A *service* is a range of handles that starts with a declaration with the service's UUID.
// Inside it, a *characteristic* consists of a declaration, a value, and the descriptors up to the
// next declaration. An *include* refers to another service. No PDU carries this tree. A client
// requests the declarations of one range after another and builds the tree from the responses (Vol
// 3, Part G, 2.6 and 3).
//
// Most operations of a client are *procedures* of chapter 4 with their own names. In this module,
// each procedure is a small state machine: it returns the first request, processes each response,
// and ends with an outcome or a failure. A procedure never has more than one outstanding request,
// and neither does the bearer, so concurrent procedures take turns request by request. Long and
// reliable writes exclude each other, because they share the server's one queue of prepared writes
// for a client. They therefore run one after another.
//
// The client stores the result of a discovery (`DatabaseCache`) and uses it again if it is known to
// be valid. The evidence is a hash of the database, which one request reads, or, with a bonded
// server, the absence of a Service Changed indication (`DatabaseLookup`; Vol 3, Part G, 2.5.2 and
// 7).
//
// The peer may be defective or hostile. A discovery only advances to greater handles, so it ends
// whatever the server answers. A response that does not fit results in a failure with a
// description. The responses before it are discarded, because an incomplete database that looks
// complete would cause errors later.
//
// The server is the other half of this module. Definitions of services become rows of one database,
// from which the server answers requests. A record for each client contains the security of its
// link, its subscriptions, and its knowledge of the database. The record of a bonded client
// outlives the link, with its subscriptions and the hash of the database that it knows. When
// services are added or removed, the server sends Service Changed to the client. If a client
// supports robust caching, the server refuses its requests with handles until the client knows the
// change, because the handles may now belong to other attributes (Vol 3, Part G, 2.5.2).

import BluetoothATT

/// The Generic Attribute Profile (Vol 3, Part G).
public enum GATT {
    /// The maximum length of an attribute value, in bytes (Vol 3, Part F, 3.2.9).
    public static let valueLengthLimit = ATT.valueLengthLimit

    /// The maximum number of services, characteristics or descriptors that one discovery returns.
    public static let discoveryLimit = 4096
}
