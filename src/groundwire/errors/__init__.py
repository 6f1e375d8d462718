"""Every error that Groundwire raises, as one tree with stable codes.

    GroundwireError
    ├── ConfigError                    something is missing or wrong on this side
    │   ├── SettingsError              the settings file or an environment variable
    │   ├── InvalidDomainsError        a list of domains with entries that are none
    │   ├── AlwaysSearchesError        a model that searches unasked, where it may not
    │   ├── MissingKeyError            a provider needs a key and has none
    │   │   └── NoSessionError         it borrows a session, and there is none
    │   ├── SessionExpiredError        the borrowed session's time is over
    │   ├── KeyStoreError              a key could not be kept or read back
    │   ├── NotInstalledError          what a provider needs on this machine is not here
    │   ├── UnknownProviderError       no provider has this name
    │   ├── PluginError                another package's provider cannot be used
    │   └── UnsupportedError           this provider cannot do what was asked
    ├── ForbiddenError                 whoever asks may not do this
    ├── QuotaExceededError             whoever asks has used all that they may in a day
    ├── BlockedError                   we refuse to go there
    │   ├── UrlRefusedError            the URL or its address is not a public web page
    │   │   └── RobotsRefusedError     its site asks programs not to open it
    │   └── DomainNotAllowedError      the domain policy does not list it
    ├── ServiceError                   a service answered, and the answer is a failure
    │   ├── AuthError                  the key is wrong or may not do this
    │   ├── RateLimitError             asked too often; `retry_after_seconds` may say when to return
    │   ├── QuotaError                 nothing left to spend; asking again does not help
    │   ├── OverloadedError            the service cannot answer now
    │   ├── InvalidRequestError        the service does not accept the request
    │   │   └── ContextTooLongError    it is more than the model can read
    │   ├── RefusedError               the service's policy is against it
    │   ├── WebSearchUnsupportedError  this model has no web search of its own
    │   ├── ToolFailedError            a tool that the provider runs reported an error
    │   ├── BadReplyError              the reply is not what the service documents
    │   └── ProviderBugError           the provider's own code raised what it should not
    ├── NetworkError                   no whole answer arrived
    │   ├── ConnectError               no connection
    │   ├── TimedOutError              too slow; `phase` says at what
    │   ├── TruncatedError             the reply ended before its own end marker
    │   └── TooLargeError              the reply is over a stated limit
    │       └── EventTooLargeError     one event of a stream is
    ├── StoreError                     what is kept cannot be used, or not like this
    │   ├── NotFoundError              nothing is kept under this id
    │   ├── ConflictError              what is kept already does not allow it
    │   ├── DiskFullError              there is no room to write
    │   └── StoreUnavailableError      the database does not answer
    │       └── StoreBusyError         it would not soon: too many want it at once
    ├── BundleError                    a file of evidence is damaged, hostile, or of another format
    ├── SearchError
    │   ├── NothingFoundError          the search worked and there is nothing
    │   └── SearchFailedError          the search did not work; `attempts` say why
    ├── ReadFailedError                no reader could read the page; `attempts` say why
    └── AnswerError                    an answer ended early; `code` says why

Callers match classes or `code`, never the wording. An error that ended an answer has what had come
of it in `answer`.
"""

from groundwire.errors.own import (
    AlwaysSearchesError,
    BlockedError,
    BundleError,
    ConfigError,
    ConflictError,
    DiskFullError,
    DomainNotAllowedError,
    ForbiddenError,
    InvalidDomainsError,
    KeyStoreError,
    MissingKeyError,
    NoSessionError,
    NotFoundError,
    NotInstalledError,
    PluginError,
    QuotaExceededError,
    RobotsRefusedError,
    SessionExpiredError,
    SettingsError,
    StoreBusyError,
    StoreError,
    StoreUnavailableError,
    UnknownProviderError,
    UnsupportedError,
    UrlRefusedError,
)
from groundwire.errors.root import AnswerError, GroundwireError, PartialAnswer
from groundwire.errors.search import (
    Attempt,
    NothingFoundError,
    ReadFailedError,
    SearchError,
    SearchFailedError,
)
from groundwire.errors.service import (
    AuthError,
    BadReplyError,
    ConnectError,
    ContextTooLongError,
    EventTooLargeError,
    InvalidRequestError,
    NetworkError,
    OverloadedError,
    ProviderBugError,
    QuotaError,
    RateLimitError,
    RefusedError,
    ServiceError,
    TimedOutError,
    TooLargeError,
    ToolFailedError,
    TruncatedError,
    WebSearchUnsupportedError,
)

__all__ = [
    "AlwaysSearchesError",
    "AnswerError",
    "Attempt",
    "AuthError",
    "BadReplyError",
    "BlockedError",
    "BundleError",
    "ConfigError",
    "ConflictError",
    "ConnectError",
    "ContextTooLongError",
    "DiskFullError",
    "DomainNotAllowedError",
    "EventTooLargeError",
    "ForbiddenError",
    "GroundwireError",
    "InvalidDomainsError",
    "InvalidRequestError",
    "KeyStoreError",
    "MissingKeyError",
    "NetworkError",
    "NoSessionError",
    "NotFoundError",
    "NotInstalledError",
    "NothingFoundError",
    "OverloadedError",
    "PartialAnswer",
    "PluginError",
    "ProviderBugError",
    "QuotaError",
    "QuotaExceededError",
    "RateLimitError",
    "ReadFailedError",
    "RefusedError",
    "RobotsRefusedError",
    "SearchError",
    "SearchFailedError",
    "ServiceError",
    "SessionExpiredError",
    "SettingsError",
    "StoreBusyError",
    "StoreError",
    "StoreUnavailableError",
    "TimedOutError",
    "TooLargeError",
    "ToolFailedError",
    "TruncatedError",
    "UnknownProviderError",
    "UnsupportedError",
    "UrlRefusedError",
    "WebSearchUnsupportedError",
]
