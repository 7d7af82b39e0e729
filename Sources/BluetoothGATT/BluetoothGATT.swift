// SPDX-License-Identifier: Apache-2.0

// The Generic Attribute Profile: how meaning is laid over a table of attributes.
//
// ATT below knows handles, types and values. GATT says how some of the attributes describe the
// others: a *service* is a run of handles that opens with a declaration of its UUID; inside it a
// *characteristic* is a declaration, the value it announces, and the descriptors that follow up to
// the next declaration; an *include* points at another service. Nobody sends this tree. A client
// asks for declarations range by range, and puts the tree together from the answers
// (Vol 3, Part G, 2.6 and 3).
//
// Everything a client does is a *procedure* of chapter 4 with a name of its own, and each is a
// small machine here: it says which request comes first, looks at each answer, and ends with an
// outcome or a failure. A procedure never has two requests under way, and the bearer underneath
// never has two of anybody's, so procedures that were started together take turns by request. Two
// kinds stand in each other's way: long and reliable writes share the one queue of prepared writes
// that a server keeps for a client, and so run one after the other.
//
// What a discovery has found is kept (`DatabaseCache`), and used again as long as something vouches
// for it: a hash of the table that one read fetches, or, of a bonded server, that it was to tell of
// changes by Service Changed and has not (`DatabaseLookup`; Vol 3, Part G, 2.5.2 and 7).
//
// The peer may be wrong or hostile. A discovery walks strictly upwards through its handles, so it
// ends however the server answers; what does not fit is a failure that says what did not. Answers
// that came before are thrown away with it: half a database that looks whole is worse than none.
//
// The server is the other half: definitions of services become rows of one table, requests are
// answered from it, and what each client may have, wants to be sent and knows of the table is in a
// record of its own. A record of a bonded client outlives the link: what it subscribed to, and the
// hash of the table that it knows. When services come or go, its server does not hope that the
// client will notice: it says so (Service Changed), and until it is understood refuses to act on
// handles that may mean something else by now (Vol 3, Part G, 2.5.2).

/// The Generic Attribute Profile (Vol 3, Part G).
public enum GATT {
    /// The greatest length of an attribute value, in octets (Vol 3, Part F, 3.2.9).
    public static let valueLengthLimit = 512

    /// The most services, characteristics or descriptors that one discovery keeps. A table of 65,535
    /// handles has room for more, but no device has a use for them.
    public static let discoveryLimit = 4096
}
