// Written by `npm run api` from docs/openapi.json.
export interface paths {
    "/api/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/site": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_site"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sign-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_auth_sign_up"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_auth_sign_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_auth_refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete_auth_logout"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_users_me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["patch_users_me"];
        trace?: never;
    };
    "/api/v1/users/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["put_users_me_password"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_auth_reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_users_me_sessions"];
        put?: never;
        post?: never;
        delete: operations["delete_users_me_sessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete_users_me_sessions_session_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_users_me_keys"];
        put?: never;
        post: operations["post_users_me_keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete_users_me_keys_key_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/oauth/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_auth_oauth_provider"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/oauth/{provider}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_auth_oauth_provider_callback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/create-full": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_events_create_full"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/from-template": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_events_from_template"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_events_event_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["patch_events_event_id"];
        trace?: never;
    };
    "/api/v1/events/{event_id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_events_event_id_publish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cards": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_cards"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_tags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{event_id}/page": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_events_event_id_page"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/{pool_id}/holders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_pools_pool_id_holders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_users_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/leaderboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_leaderboard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/{pool_id}/liquidity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_pools_pool_id_liquidity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/{pool_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_pools_pool_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["patch_pools_pool_id"];
        trace?: never;
    };
    "/api/v1/series/{series_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_series_series_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["patch_series_series_id"];
        trace?: never;
    };
    "/api/v1/series/{series_id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_series_series_id_stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/series/{series_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_series_series_id_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_pools_batch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/{pool_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_pools_pool_id_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/{pool_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_pools_pool_id_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/markets/{market_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_markets_market_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/orderbook/{market_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_market_orderbook_market_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/{pool_id}/charts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_pools_pool_id_charts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/markets/{market_id}/chart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_markets_market_id_chart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/pools/{pool_id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_pools_pool_id_resolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{event_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_events_event_id_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{event_id}/odds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_events_event_id_odds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/bets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_market_bets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/positions/sell": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_market_positions_sell"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_market_quote"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{event_id}/trades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_events_event_id_trades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/trades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_users_me_trades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/trades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_users_id_trades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/positions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_market_positions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/market/positions/completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_market_positions_completed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/pnl/chart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_users_me_pnl_chart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/pnl/chart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_users_id_pnl_chart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/positions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_users_me_positions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/portfolio": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_users_me_portfolio"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_users_me_transactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_comments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{event_id}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_events_event_id_comments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/comments/{comment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_comments_comment_id"];
        put?: never;
        post?: never;
        delete: operations["delete_comments_comment_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/comments/{comment_id}/replies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_comments_comment_id_replies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/comments/{comment_id}/reaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["put_comments_comment_id_reaction"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chat/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_chat_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chat/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_chat_messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chat/message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_chat_message"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chat/session/call-operator": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_chat_session_call_operator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/chat/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_chat_stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/chat/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_chat_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/chat/sessions/{session_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_chat_sessions_session_id_messages"];
        put?: never;
        post: operations["post_admin_chat_sessions_session_id_messages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/chat/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_chat_stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/chat/sessions/{session_id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_admin_chat_sessions_session_id_close"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_notifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/unread/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_notifications_unread_count"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/notifications/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_notifications_read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/attention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_attention"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_users"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["patch_admin_users_user_id"];
        trace?: never;
    };
    "/api/v1/admin/users/{user_id}/reset-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_admin_users_user_id_reset_link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{user_id}/credit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_admin_users_user_id_credit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{user_id}/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_users_user_id_transactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/partners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_partners"];
        put?: never;
        post: operations["post_admin_partners"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/partners/{partner_name}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_partners_partner_name_keys"];
        put?: never;
        post: operations["post_admin_partners_partner_name_keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/partners/{partner_name}/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete_admin_partners_partner_name_keys_key_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/partners/{partner_name}/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_partners_partner_name_transactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/partners/{partner_name}/deposit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_admin_partners_partner_name_deposit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/partners/{partner_name}/payout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["post_admin_partners_partner_name_payout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/{event_id}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["put_events_event_id_image"];
        post?: never;
        delete: operations["delete_events_event_id_image"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/me/avatar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["put_users_me_avatar"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_assets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets/{symbol}/price": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_assets_symbol_price"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/assets/{symbol}/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_assets_symbol_prices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/currency/rate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_currency_rate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/assets/{symbol}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["put_admin_assets_symbol"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/currency-rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_currency_rates"];
        put: operations["put_admin_currency_rates"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ws/trades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_ws_trades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ws/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_ws_live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Health: {
            /** @enum {unknown} */
            status: "ok";
            /** Format: date-time */
            timestamp: string;
            uptime_seconds: number;
        };
        Ready: {
            /** @enum {unknown} */
            status: "ready";
        };
        Site: {
            name: string;
            version: string;
            sign_up: boolean;
            oauth: string[];
            image_bytes_max: number;
        };
        SignUp: {
            /** Format: email */
            email: string;
            password: string;
            name: string;
            /** @default null */
            nickname: string | null;
        };
        SignedIn: {
            user: components["schemas"]["User"];
            access_token: string;
            expires_in: number;
        };
        User: {
            id: number;
            email: string;
            name: string;
            nickname: string;
            avatar_url: string;
            profile_hidden: boolean;
            is_creator: boolean;
            is_admin: boolean;
            is_stats_viewer: boolean;
            is_operator: boolean;
            balance_kopecks: number;
            /** Format: date-time */
            created_at: string;
        };
        SignIn: {
            login: string;
            password: string;
        };
        Empty: Record<string, never>;
        ProfileChange: {
            /** @default null */
            name: string | null;
            /** @default null */
            nickname: string | null;
            /** @default null */
            avatar_url: string | null;
            /** @default null */
            profile_hidden: boolean | null;
        };
        PasswordChange: {
            old: string;
            new: string;
        };
        PasswordReset: {
            token: string;
            password: string;
        };
        Sessions: {
            sessions: components["schemas"]["Session"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        Session: {
            id: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string;
            user_agent: string;
            current: boolean;
        };
        KeyOrder: {
            name: string;
            /** @enum {unknown} */
            scope: "read" | "trade";
        };
        NewOwnKey: {
            id: number;
            name: string;
            /** @enum {unknown} */
            scope: "read" | "trade";
            key: string;
            /** Format: date-time */
            created_at: string;
        };
        OwnKeys: {
            keys: components["schemas"]["OwnKey"][];
        };
        OwnKey: {
            id: number;
            name: string;
            /** @enum {unknown} */
            scope: "read" | "trade";
            /** Format: date-time */
            created_at: string;
            last_used_at: string | null;
        };
        CreateEventBody: {
            /** @default null */
            name_ru: string | null;
            /** @default null */
            tags: string[] | null;
            /** @default null */
            versus_names: string[] | null;
            /** @default null */
            versus_images: string[] | null;
            /** @default null */
            has_draw: boolean | null;
            /** @default null */
            image_url: string | null;
            /** @default null */
            external_event_url: string | null;
            /** @default null */
            main_pool_index: number | null;
            name: string;
            pools: components["schemas"]["PoolBody"][];
            /** @default null */
            loop_interval_minutes: number | null;
        };
        PoolBody: {
            /** @default null */
            name: string | null;
            /** @default null */
            name_ru: string | null;
            /** @default null */
            margin: number | null;
            /** @default null */
            finish_at: string | null;
            /** @default null */
            live_at: string | null;
            /** @default null */
            rules: string | null;
            /** @default null */
            metadata: {
                market_names?: string[] | null;
                market_probabilities?: number[] | null;
                /** @default 100000 */
                lmsr_b_kopecks: number | null;
                resolution?: {
                    /** @constant */
                    kind: "manual";
                    dispute_minutes?: number | null;
                } | {
                    /** @constant */
                    kind: "price";
                    symbol: string;
                    outcomes: {
                        above?: number | {
                            times: number;
                        } | {
                            plus: number;
                        } | null;
                        from?: number | {
                            times: number;
                        } | {
                            plus: number;
                        } | null;
                        below?: number | {
                            times: number;
                        } | {
                            plus: number;
                        } | null;
                        to?: number | {
                            times: number;
                        } | {
                            plus: number;
                        } | null;
                    }[];
                    source?: string | null;
                    /** @default 300 */
                    within_seconds: number | null;
                    /** @default 2 */
                    decimals: number | null;
                    dispute_minutes?: number | null;
                } | {
                    /** @constant */
                    kind: "external";
                    /** @default 1440 */
                    wait_minutes: number | null;
                    dispute_minutes?: number | null;
                } | null;
                odds?: {
                    names?: {
                        [key: string]: string;
                    } | null;
                } | null;
            } | null;
        };
        Event: {
            id: number;
            name: string;
            name_ru: string;
            tags: string[];
            image_url: string;
            /** @enum {unknown} */
            status: "active" | "cancelled" | "closed" | "new" | "resolved";
            is_active: boolean;
            /** Format: date-time */
            created_at: string;
            versus_names: string[];
            versus_images: string[];
            has_draw: boolean;
            main_pool_index: number;
            loop_interval_minutes: number;
            external_event_url: string;
            series: components["schemas"]["InstanceOfSeries"] | null;
            pools: components["schemas"]["Pool"][];
        };
        InstanceOfSeries: {
            id: number;
            index: number;
            previous_event_id: number | null;
            next_event_id: number | null;
        };
        Pool: {
            id: number;
            name: string;
            name_ru: string;
            rules: string;
            won_side: number | null;
            margin: number;
            finish_at: string | null;
            live_at: string | null;
            markets: components["schemas"]["Market"][];
            metadata: Record<string, never>;
            liquidity: components["schemas"]["Liquidity"][];
            resolution: components["schemas"]["PoolResolution"];
        };
        Market: {
            id: number;
            pool_id: number;
            name: string;
            yes_probability: number;
            /** @enum {unknown} */
            market_type: "lmsr";
            volume: number;
            b: number;
            q_yes: number;
            q_no: number;
            paused: boolean;
            resolved: boolean;
            outcome_index: number;
        };
        Liquidity: {
            /** Format: date-time */
            at: string;
            b: number;
            subsidy_kopecks: number;
            probabilities: number[];
            q_yes: number[];
            q_no: number[];
        };
        PoolResolution: {
            /** @enum {unknown} */
            kind: "external" | "manual" | "price";
            /** @enum {unknown} */
            state: "attention" | "decided" | "open" | "paid" | "paying" | "waiting";
            symbol: string | null;
            source: string | null;
            outcomes: {
                [key: string]: number;
            }[] | null;
            strike: Record<string, never> | null;
            evidence: Record<string, never> | null;
            decided_at: string | null;
            decided_by: ("admin" | "creator" | "rule") | null;
            won_side: number | null;
            payouts: number[] | null;
            void_at: string | null;
            disputable_until: string | null;
            reason: ("no_price" | "no_result" | "no_single_winner") | null;
        };
        YesNoTemplate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            template: "yes_no";
            /** @default null */
            tags: string[] | null;
            /** @default null */
            loop_interval_minutes: number | null;
            /** @default null */
            external_event_url: string | null;
            /** @default null */
            lmsr_b_kopecks: number | null;
            /** @default null */
            margin: number | null;
            /** @default null */
            live_at: string | null;
            /** @default null */
            finish_at: string | null;
            /** @default null */
            rules: string | null;
            question: string;
            /** @default null */
            probability: number | null;
        };
        MatchTemplate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            template: "match";
            /** @default null */
            tags: string[] | null;
            /** @default null */
            loop_interval_minutes: number | null;
            /** @default null */
            external_event_url: string | null;
            /** @default null */
            lmsr_b_kopecks: number | null;
            /** @default null */
            margin: number | null;
            /** @default null */
            live_at: string | null;
            /** @default null */
            finish_at: string | null;
            /** @default null */
            rules: string | null;
            home: string;
            away: string;
            /** @default null */
            draw: boolean | null;
        };
        PriceTemplate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            template: "price";
            /** @default null */
            tags: string[] | null;
            /** @default null */
            loop_interval_minutes: number | null;
            /** @default null */
            external_event_url: string | null;
            /** @default null */
            lmsr_b_kopecks: number | null;
            /** @default null */
            margin: number | null;
            /** @default null */
            live_at: string | null;
            /** Format: date-time */
            finish_at: string;
            /** @default null */
            rules: string | null;
            symbol: string;
            thresholds: (number)[];
            /** @default null */
            relative: ("plus" | "times") | null;
        };
        CandidatesTemplate: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            template: "candidates";
            /** @default null */
            tags: string[] | null;
            /** @default null */
            loop_interval_minutes: number | null;
            /** @default null */
            external_event_url: string | null;
            /** @default null */
            lmsr_b_kopecks: number | null;
            /** @default null */
            margin: number | null;
            /** @default null */
            live_at: string | null;
            /** @default null */
            finish_at: string | null;
            /** @default null */
            rules: string | null;
            question: string;
            names: string[];
        };
        EventPage: {
            events: components["schemas"]["Event"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        CardPage: {
            cards: components["schemas"]["Card"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        Card: {
            event_id: number;
            name: string;
            name_ru: string;
            tags: string[];
            image_url: string;
            /** @enum {unknown} */
            status: "active" | "cancelled" | "closed" | "new" | "resolved";
            published_at: string | null;
            finish_at: string | null;
            resolved_at: string | null;
            volume_kopecks: number;
            volume_24h_kopecks: number;
            traders: number;
            comments: number;
            pools: number;
            pool: components["schemas"]["CardPool"];
        };
        CardPool: {
            pool_id: number;
            name: string;
            name_ru: string;
            live_at: string | null;
            finish_at: string | null;
            paused: boolean;
            won_side: number | null;
            outcomes: number;
            top: components["schemas"]["CardOutcome"][];
            spark: number[];
        };
        CardOutcome: {
            market_id: number;
            outcome_index: number;
            name: string;
            probability: number;
            probability_24h: number;
        };
        Tags: {
            tags: components["schemas"]["Tag"][];
        };
        Tag: {
            tag: string;
            active: number;
        };
        EventDetails: {
            event: components["schemas"]["Event"];
            creator: components["schemas"]["PublicUser"];
            published_at: string | null;
            finish_at: string | null;
            resolved_at: string | null;
            main_pool_index: number;
            volume_kopecks: number;
            traders: number;
            comments: number;
            may: ("cancel" | "image" | "pause" | "publish" | "resolve")[];
            pools: components["schemas"]["PoolDetails"][];
            positions: components["schemas"]["Position"][];
        };
        PublicUser: {
            id: number;
            name: string;
            nickname: string;
            profile_hidden: boolean;
            avatar_url: string;
        };
        PoolDetails: {
            pool_id: number;
            paused: boolean;
            volume_kopecks: number;
            trades: number;
            traders: number;
            probabilities_24h: number[];
            loss_bound_kopecks: number;
            resolved_at: string | null;
            house: components["schemas"]["HouseMoney"] | null;
        };
        HouseMoney: {
            escrow_kopecks: number;
            fees_kopecks: number;
            result_kopecks: number | null;
        };
        Position: {
            id: number;
            user_id: number;
            market_id: number;
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            amount: number;
            avg_price: number;
            cost_kopecks: number;
            pnl: number;
            /** Format: date-time */
            opened_at: string;
            event_id: number;
            event_name: string;
            event_name_ru: string;
            pool_id: number;
            pool_name: string;
            pool_name_ru: string;
            market_name: string;
            outcome_index: number;
            value_kopecks?: number;
            won_side?: (0 | 1) | null;
            /** Format: date-time */
            closed_at?: string;
            proceeds_kopecks?: number;
            void?: boolean;
        };
        Holders: {
            markets: components["schemas"]["MarketHolders"][];
        };
        MarketHolders: {
            market_id: number;
            yes: components["schemas"]["Holding"][];
            no: components["schemas"]["Holding"][];
            yes_holders: number;
            no_holders: number;
        };
        Holding: {
            user: components["schemas"]["Trader"];
            shares: number;
        };
        Trader: {
            id: number | null;
            name: string;
            avatar_url: string;
        };
        Profile: {
            user: components["schemas"]["PublicUser"];
            /** Format: date-time */
            created_at: string;
            realized_kopecks: number;
            volume_kopecks: number;
            trades: number;
            events: number;
        };
        Leaderboard: {
            entries: components["schemas"]["Leader"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        Leader: {
            rank: number;
            user: components["schemas"]["PublicUser"];
            realized_kopecks: number;
            volume_kopecks: number;
            trades: number;
        };
        LiquidityBody: {
            lmsr_b_kopecks: number;
            /** @default null */
            probabilities: number[] | null;
        };
        EditEventBody: {
            /** @default null */
            name_ru: string | null;
            /** @default null */
            tags: string[] | null;
            /** @default null */
            versus_names: string[] | null;
            /** @default null */
            versus_images: string[] | null;
            /** @default null */
            has_draw: boolean | null;
            /** @default null */
            image_url: string | null;
            /** @default null */
            external_event_url: string | null;
            /** @default null */
            main_pool_index: number | null;
            /** @default null */
            name: string | null;
        };
        EditPoolBody: {
            /** @default null */
            name: string | null;
            /** @default null */
            name_ru: string | null;
            /** @default null */
            rules: string | null;
            /** @default null */
            market_names: string[] | null;
            /** @default null */
            live_at: string | null;
            /** @default null */
            finish_at: string | null;
        };
        Series: {
            id: number;
            /** @enum {unknown} */
            status: "ended" | "running" | "stopped";
            waiting: ("creator_role" | "house_limit" | "price") | null;
            loop_interval_minutes: number;
            first_event_id: number;
            current_event_id: number;
            next_index: number;
            next_opens_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        EditSeriesBody: {
            /** @default null */
            name_ru: string | null;
            /** @default null */
            tags: string[] | null;
            /** @default null */
            versus_names: string[] | null;
            /** @default null */
            versus_images: string[] | null;
            /** @default null */
            has_draw: boolean | null;
            /** @default null */
            image_url: string | null;
            /** @default null */
            external_event_url: string | null;
            /** @default null */
            main_pool_index: number | null;
            /** @default null */
            name: string | null;
            /** @default null */
            loop_interval_minutes: number | null;
            /** @default null */
            pools: components["schemas"]["PoolBody"][] | null;
        };
        Orderbook: {
            market_id: number;
            bids: components["schemas"]["BookLevel"][];
            asks: components["schemas"]["BookLevel"][];
        };
        BookLevel: {
            price: number;
            amount: number;
        };
        PoolCharts: {
            "1h"?: components["schemas"]["PoolChartPoint"][];
            "1d"?: components["schemas"]["PoolChartPoint"][];
            "1w"?: components["schemas"]["PoolChartPoint"][];
            "1m"?: components["schemas"]["PoolChartPoint"][];
            all?: components["schemas"]["PoolChartPoint"][];
        };
        PoolChartPoint: {
            /** Format: date-time */
            timestamp: string;
            values: number[];
        };
        MarketChartPoint: {
            /** Format: date-time */
            timestamp: string;
            probability: number;
        };
        ResolveBody: {
            /** @default null */
            won_side: number | null;
            /** @default null */
            payouts: number[] | null;
            /** @default null */
            void: true | null;
            /** @default null */
            at: string | null;
        };
        EventOdds: {
            source: ("kalshi" | "manifold" | "polymarket") | null;
            /** @enum {unknown} */
            status: "absurd" | "closed" | "off" | "ok" | "stale" | "unmatched" | "unsupported";
            checked_at: string | null;
            pools: components["schemas"]["OddsPool"][];
        };
        OddsPool: {
            pool_id: number;
            follows: boolean;
            outcomes: components["schemas"]["OddsOutcome"][];
            unmatched: string[];
            spent_kopecks: number;
        };
        OddsOutcome: {
            outcome_index: number;
            name: string;
            external_name: string | null;
            price: number | null;
        };
        BetOrder: {
            market_id: number;
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            amount_kopecks: number;
            /** @default null */
            min_shares: number | null;
            /** @default null */
            max_price_bps: number | null;
        };
        Bet: {
            id: number;
            market_id: number;
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            amount_kopecks: number;
            fee_kopecks: number;
            shares: number;
            avg_price: number;
            probability_before: number;
            probability_after: number;
            balance_kopecks: number;
            /** Format: date-time */
            created_at: string;
        };
        SaleOrder: {
            market_id: number;
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            /** @default null */
            shares: number | null;
            /** @default null */
            min_payout_kopecks: number | null;
        };
        Sale: {
            id: number;
            market_id: number;
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            shares: number;
            payout_kopecks: number;
            avg_price: number;
            pnl: number;
            probability_before: number;
            probability_after: number;
            balance_kopecks: number;
            /** Format: date-time */
            created_at: string;
        };
        Quote: {
            market_id: number;
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            shares: number;
            amount_kopecks: number;
            fee_kopecks: number;
            avg_price: number;
            probability_before: number;
            probability_after: number;
        };
        TradePage: {
            trades: components["schemas"]["Trade"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        Trade: {
            id: number;
            event_id: number;
            pool_id: number;
            market_id: number;
            user: components["schemas"]["Trader"];
            /** @enum {unknown} */
            action: "buy" | "sell";
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            amount_kopecks: number;
            shares: number;
            avg_price: number;
            probability_before: number;
            probability_after: number;
            /** Format: date-time */
            created_at: string;
        };
        HeldPositions: {
            positions: components["schemas"]["HeldPosition"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        HeldPosition: {
            id: number;
            user_id: number;
            market_id: number;
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            amount: number;
            avg_price: number;
            pnl: number;
            value_kopecks: number;
            event_id: number;
            event_name: string;
            pool_id: number;
            pool_name: string;
            market_name: string;
        };
        ClosedPositions: {
            positions: components["schemas"]["ClosedPosition"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        ClosedPosition: {
            id: number;
            user_id: number;
            market_id: number;
            /** @enum {unknown} */
            token_type: "NO" | "YES";
            amount: number;
            avg_price: number;
            pnl: number;
            won_side: (0 | 1) | null;
            /** Format: date-time */
            closed_at: string;
            event_id: number;
            event_name: string;
            pool_id: number;
            pool_name: string;
            market_name: string;
        };
        PnlChart: {
            points: components["schemas"]["PnlChartPoint"][];
        };
        PnlChartPoint: {
            /** Format: date-time */
            timestamp: string;
            pnl: number;
        };
        PositionPage: {
            positions: components["schemas"]["Position"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        Portfolio: {
            balance_kopecks: number;
            value_kopecks: number;
            cost_kopecks: number;
            realized_kopecks: number;
            open: number;
            closed: number;
        };
        TransactionPage: {
            transactions: components["schemas"]["Transaction"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        Transaction: {
            id: number;
            /** @enum {unknown} */
            type: "bet" | "credit" | "sale" | "settlement";
            change_kopecks: number;
            event_id: number | null;
            event_name: string;
            event_name_ru: string;
            market_id: number | null;
            market_name: string;
            token_type: ("NO" | "YES") | null;
            note: string;
            /** Format: date-time */
            created_at: string;
        };
        PartnerBetOrder: {
            external_user_id: string;
            market_id: number;
            /** @enum {unknown} */
            side: "no" | "yes";
            stake_kopecks: number;
            /** @default null */
            min_shares: number | null;
            /** @default null */
            max_price_bps: number | null;
        };
        PartnerBet: {
            bet_id: number;
            external_user_id: string;
            user_id: number;
            market_id: number;
            /** @enum {unknown} */
            side: "no" | "yes";
            stake_kopecks: number;
            fee_kopecks: number;
            shares: number;
            avg_price_bps: number;
            probability_before: number;
            probability_after: number;
            balance_kopecks: number;
            float_balance_kopecks: number;
            /** Format: date-time */
            created_at: string;
        };
        PartnerSaleOrder: {
            external_user_id: string;
            market_id: number;
            /** @enum {unknown} */
            side: "no" | "yes";
            /** @default null */
            shares: number | null;
            /** @default null */
            min_payout_kopecks: number | null;
        };
        PartnerSale: {
            sale_id: number;
            external_user_id: string;
            user_id: number;
            market_id: number;
            /** @enum {unknown} */
            side: "no" | "yes";
            shares: number;
            payout_kopecks: number;
            avg_price_bps: number;
            pnl: number;
            probability_before: number;
            probability_after: number;
            balance_kopecks: number;
            float_balance_kopecks: number;
            /** Format: date-time */
            created_at: string;
        };
        PartnerQuote: {
            market_id: number;
            /** @enum {unknown} */
            side: "no" | "yes";
            shares: number;
            stake_kopecks: number;
            fee_kopecks: number;
            avg_price_bps: number;
            probability_before: number;
            probability_after: number;
        };
        PartnerUser: {
            external_user_id: string;
            exists: boolean;
            user_id: number | null;
            balance_kopecks: number;
            open_positions_kopecks: number;
            positions: components["schemas"]["PartnerPosition"][];
        };
        PartnerPosition: {
            market_id: number;
            /** @enum {unknown} */
            side: "no" | "yes";
            shares: number;
            avg_price_bps: number;
            value_kopecks: number;
        };
        PartnerBalance: {
            partner: string;
            float_balance_kopecks: number;
            users_balance_kopecks: number;
            total_kopecks: number;
        };
        WithdrawalOrder: {
            amount_kopecks: number;
        };
        Withdrawal: {
            external_user_id: string;
            amount_kopecks: number;
            balance_kopecks: number;
            float_balance_kopecks: number;
        };
        PartnerTransactions: {
            transactions: components["schemas"]["PartnerTransaction"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        PartnerTransaction: {
            id: number;
            /** @enum {unknown} */
            type: "bet" | "deposit" | "payout" | "sale" | "settlement" | "withdrawal";
            external_user_id: string | null;
            market_id: number | null;
            bet_id: number | null;
            sale_id: number | null;
            float_change_kopecks: number;
            balance_change_kopecks: number;
            /** Format: date-time */
            created_at: string;
        };
        CommentBody: {
            event_id: number;
            content: string;
            /** @default null */
            parent_id: number | null;
        };
        Comment: {
            id: number;
            event_id: number;
            user_id: number;
            parent_id: number | null;
            content: string;
            likes_count: number;
            dislikes_count: number;
            replies_count: number;
            /** Format: date-time */
            created_at: string;
            user: components["schemas"]["PublicUser"];
            user_reaction: ("dislike" | "like") | null;
        };
        CommentPage: {
            comments: components["schemas"]["Comment"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        CommentInThread: {
            comment: components["schemas"]["Comment"];
            root_id: number;
        };
        Replies: {
            comments: components["schemas"]["Comment"][];
        };
        ReactionBody: {
            type: ("dislike" | "like") | null;
        };
        ChatSession: {
            session_id: number;
            /** @enum {unknown} */
            status: "answered" | "closed" | "open" | "waiting";
            messages: components["schemas"]["ChatMessage"][];
        };
        ChatMessage: {
            id: number;
            /** @enum {unknown} */
            sender: "operator" | "system" | "user";
            text: string;
            created_at: number;
        };
        ChatMessages: {
            messages: components["schemas"]["ChatMessage"][];
            /** @enum {unknown} */
            status: "answered" | "closed" | "open" | "waiting";
        };
        ChatText: {
            text: string;
        };
        CreatedMessage: {
            messages: components["schemas"]["ChatMessage"][];
        };
        OperatorCall: {
            success: boolean;
            message: string;
        };
        SupportSessionPage: {
            sessions: components["schemas"]["SupportSession"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        SupportSession: {
            session_id: number;
            /** @enum {unknown} */
            status: "answered" | "closed" | "open" | "waiting";
            user: components["schemas"]["PublicUser"] | null;
            /** Format: date-time */
            created_at: string;
            last_message_at: string | null;
            last_message: components["schemas"]["SupportLastMessage"] | null;
            waiting_since: string | null;
        };
        SupportLastMessage: {
            /** @enum {unknown} */
            sender: "operator" | "system" | "user";
            text: string;
        };
        NotificationPage: {
            notifications: components["schemas"]["Notification"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        Notification: {
            id: number;
            /** @enum {unknown} */
            type: "comment_reply" | "event_cancelled" | "event_closed" | "event_published" | "event_resolved" | "operator_answer" | "position_settled" | "resolution_needed" | "series_waiting";
            text: string;
            event_id: number | null;
            params: components["schemas"]["NotificationParams"];
            comment_id: number | null;
            /** Format: date-time */
            created_at: string;
            read: boolean;
        };
        NotificationParams: {
            /** @default  */
            event_name: string;
            /** @default  */
            event_name_ru: string;
            /** @default  */
            pool_name: string;
            /** @default  */
            pool_name_ru: string;
            /** @default  */
            market_name: string;
            /** @default null */
            token_type: ("NO" | "YES") | null;
            /** @default null */
            shares: number | null;
            /** @default null */
            payout_kopecks: number | null;
            /** @default null */
            pnl_kopecks: number | null;
        };
        NotificationCount: {
            count: number;
        };
        ReadBody: {
            /** @default null */
            ids: number[] | null;
        };
        AttentionPage: {
            entries: components["schemas"]["AttentionEntry"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        AttentionEntry: {
            id: number;
            /** @enum {unknown} */
            kind: "odds" | "payment" | "resolution" | "series";
            event_id: number | null;
            pool_id: number | null;
            series_id: number | null;
            reason: string;
            /** Format: date-time */
            since: string;
        };
        Users: {
            users: components["schemas"]["ManagedUser"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        ManagedUser: {
            id: number;
            email: string;
            name: string;
            nickname: string;
            avatar_url: string;
            profile_hidden: boolean;
            is_creator: boolean;
            is_admin: boolean;
            is_stats_viewer: boolean;
            is_operator: boolean;
            balance_kopecks: number;
            /** Format: date-time */
            created_at: string;
            is_active: boolean;
        };
        UserChange: {
            /** @default null */
            is_creator: boolean | null;
            /** @default null */
            is_admin: boolean | null;
            /** @default null */
            is_stats_viewer: boolean | null;
            /** @default null */
            is_operator: boolean | null;
            /** @default null */
            is_active: boolean | null;
        };
        IssuedResetLink: {
            url: string;
            /** Format: date-time */
            expires_at: string;
        };
        CreditOrder: {
            amount_kopecks: number;
            /** @default null */
            note: string | null;
        };
        Credit: {
            user_id: number;
            amount_kopecks: number;
            balance_kopecks: number;
        };
        AdminLog: {
            entries: components["schemas"]["AdminLogEntry"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        AdminLogEntry: {
            id: number;
            who: string;
            action: string;
            target: string;
            details: Record<string, never>;
            /** Format: date-time */
            created_at: string;
        };
        Stats: {
            total: components["schemas"]["StatsTotal"];
            days: components["schemas"]["StatsDay"][];
        };
        StatsTotal: {
            users: number;
            active_traders: number;
            volume_kopecks: number;
            fees_kopecks: number;
            open_interest_kopecks: number;
            house_result_kopecks: number;
        };
        StatsDay: {
            date: string;
            users: number;
            active_traders: number;
            volume_kopecks: number;
            fees_kopecks: number;
            open_interest_kopecks: number;
            house_result_kopecks: number;
        };
        Partners: {
            partners: components["schemas"]["PartnerOverview"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        PartnerOverview: {
            partner: string;
            float_balance_kopecks: number;
            users_balance_kopecks: number;
            /** Format: date-time */
            created_at: string;
        };
        PartnerOrder: {
            name: string;
        };
        IssuedPartner: {
            partner: string;
            key_id: number;
            key: string;
        };
        PartnerKeys: {
            keys: components["schemas"]["PartnerKey"][];
        };
        PartnerKey: {
            id: number;
            /** Format: date-time */
            created_at: string;
            last_used_at: string | null;
        };
        NewPartnerKey: {
            id: number;
            key: string;
        };
        FloatOrder: {
            amount_kopecks: number;
        };
        FloatChange: {
            partner: string;
            amount_kopecks: number;
            float_balance_kopecks: number;
        };
        StoredImage: {
            image_url: string;
        };
        AssetPage: {
            assets: components["schemas"]["Asset"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        Asset: {
            id: number;
            symbol: string;
            name: string;
            asset_type: string;
            price: number;
            /** Format: date-time */
            price_updated_at: string;
            /** Format: date-time */
            created_at: string;
        };
        PricePage: {
            prices: components["schemas"]["PriceObservation"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        PriceObservation: {
            price: number;
            /** Format: date-time */
            observed_at: string;
            source: string;
        };
        CurrencyRate: {
            from: string;
            to: string;
            rate: number;
        };
        AssetBody: {
            name: string;
            asset_type: string;
            price: number;
        };
        StoredRatePage: {
            rates: components["schemas"]["StoredRate"][];
            next_cursor: string | null;
            has_more: boolean;
        };
        StoredRate: {
            from: string;
            to: string;
            rate: number;
            source: string;
            /** Format: date-time */
            updated_at: string;
        };
        Error: {
            error: string;
            message: string;
            details?: Record<string, never>;
        };
        BareError: {
            error: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    get_ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
        };
    };
    get_site: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                };
            };
        };
    };
    post_auth_sign_up: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignUp"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    post_auth_sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    post_auth_refresh: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    delete_auth_logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    get_users_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    patch_users_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProfileChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    put_users_me_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    post_auth_reset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordReset"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    get_users_me_sessions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sessions"];
                };
            };
        };
    };
    delete_users_me_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    delete_users_me_sessions_session_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    get_users_me_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnKeys"];
                };
            };
        };
    };
    post_users_me_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyOrder"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewOwnKey"];
                };
            };
        };
    };
    delete_users_me_keys_key_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    get_auth_oauth_provider: {
        parameters: {
            query?: {
                return_to?: string;
            };
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            303: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    get_auth_oauth_provider_callback: {
        parameters: {
            query?: {
                state?: string;
                code?: string;
                error?: string;
                iss?: string;
            };
            header?: never;
            path: {
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            303: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    post_events_create_full: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateEventBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    post_events_from_template: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["YesNoTemplate"] | components["schemas"]["MatchTemplate"] | components["schemas"]["PriceTemplate"] | components["schemas"]["CandidatesTemplate"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    get_events: {
        parameters: {
            query?: {
                status?: "new" | "active" | "closed" | "resolved" | "cancelled";
                tag?: string;
                q?: string;
                series?: number;
                current?: "true" | "false";
                sort?: "new" | "volume" | "closing";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
        };
    };
    get_events_event_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    patch_events_event_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditEventBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    post_events_event_id_publish: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    get_cards: {
        parameters: {
            query?: {
                status?: "new" | "active" | "closed" | "resolved" | "cancelled" | "all";
                tag?: string;
                q?: string;
                creator?: "me" | number;
                sort?: "trending" | "new" | "volume" | "closing" | "moved";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CardPage"];
                };
            };
        };
    };
    get_tags: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tags"];
                };
            };
        };
    };
    get_events_event_id_page: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDetails"];
                };
            };
        };
    };
    get_pools_pool_id_holders: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pool_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Holders"];
                };
            };
        };
    };
    get_users_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
        };
    };
    get_leaderboard: {
        parameters: {
            query?: {
                period?: "week" | "month" | "all";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Leaderboard"];
                };
            };
        };
    };
    post_pools_pool_id_liquidity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pool_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LiquidityBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pool"];
                };
            };
        };
    };
    get_pools_pool_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pool_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pool"];
                };
            };
        };
    };
    patch_pools_pool_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pool_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditPoolBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pool"];
                };
            };
        };
    };
    get_series_series_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                series_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Series"];
                };
            };
        };
    };
    patch_series_series_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                series_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditSeriesBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Series"];
                };
            };
        };
    };
    post_series_series_id_stop: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                series_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Series"];
                };
            };
        };
    };
    post_series_series_id_resume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                series_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Series"];
                };
            };
        };
    };
    get_pools_batch: {
        parameters: {
            query: {
                ids: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pool"][];
                };
            };
        };
    };
    post_pools_pool_id_pause: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pool_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pool"];
                };
            };
        };
    };
    post_pools_pool_id_resume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pool_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pool"];
                };
            };
        };
    };
    get_markets_market_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                market_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Market"];
                };
            };
        };
    };
    get_market_orderbook_market_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                market_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Orderbook"];
                };
            };
        };
    };
    get_pools_pool_id_charts: {
        parameters: {
            query?: {
                range?: "1h" | "1d" | "1w" | "1m" | "all";
            };
            header?: never;
            path: {
                pool_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PoolCharts"];
                };
            };
        };
    };
    get_markets_market_id_chart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                market_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarketChartPoint"][];
                };
            };
        };
    };
    post_pools_pool_id_resolve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                pool_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolveBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pool"];
                };
            };
        };
    };
    post_events_event_id_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
        };
    };
    get_events_event_id_odds: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventOdds"];
                };
            };
        };
    };
    post_market_bets: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BetOrder"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bet"];
                };
            };
        };
    };
    post_market_positions_sell: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaleOrder"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sale"];
                };
            };
        };
    };
    get_market_quote: {
        parameters: {
            query: {
                market_id: number;
                token_type: "YES" | "NO";
                amount_kopecks?: number;
                shares?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quote"];
                };
            };
        };
    };
    get_events_event_id_trades: {
        parameters: {
            query?: {
                market_id?: number;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TradePage"];
                };
            };
        };
    };
    get_users_me_trades: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TradePage"];
                };
            };
        };
    };
    get_users_id_trades: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TradePage"];
                };
            };
        };
    };
    get_market_positions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeldPositions"];
                };
            };
        };
    };
    get_market_positions_completed: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClosedPositions"];
                };
            };
        };
    };
    get_users_me_pnl_chart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PnlChart"];
                };
            };
        };
    };
    get_users_id_pnl_chart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PnlChart"];
                };
            };
        };
    };
    get_users_me_positions: {
        parameters: {
            query?: {
                state?: "open" | "closed";
                event_id?: number;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PositionPage"];
                };
            };
        };
    };
    get_users_me_portfolio: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Portfolio"];
                };
            };
        };
    };
    get_users_me_transactions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionPage"];
                };
            };
        };
    };
    post_comments: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommentBody"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
        };
    };
    get_events_event_id_comments: {
        parameters: {
            query?: {
                sort?: "new" | "top";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentPage"];
                };
            };
        };
    };
    get_comments_comment_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                comment_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentInThread"];
                };
            };
        };
    };
    delete_comments_comment_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                comment_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    get_comments_comment_id_replies: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path: {
                comment_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replies"];
                };
            };
        };
    };
    put_comments_comment_id_reaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                comment_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "like"
                 *     }
                 */
                "application/json": components["schemas"]["ReactionBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
        };
    };
    post_chat_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatSession"];
                };
            };
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatSession"];
                };
            };
        };
    };
    get_chat_messages: {
        parameters: {
            query?: {
                after?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatMessages"];
                };
            };
        };
    };
    post_chat_message: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatText"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedMessage"];
                };
            };
        };
    };
    post_chat_session_call_operator: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorCall"];
                };
            };
        };
    };
    get_chat_stream: {
        parameters: {
            query?: never;
            header?: {
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        id?: string;
                        data: string;
                    };
                };
            };
        };
    };
    get_admin_chat_sessions: {
        parameters: {
            query?: {
                status?: "open" | "waiting" | "answered" | "closed";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SupportSessionPage"];
                };
            };
        };
    };
    get_admin_chat_sessions_session_id_messages: {
        parameters: {
            query?: {
                after?: number;
            };
            header?: never;
            path: {
                session_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatMessages"];
                };
            };
        };
    };
    post_admin_chat_sessions_session_id_messages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatText"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatMessage"];
                };
            };
        };
    };
    get_admin_chat_stream: {
        parameters: {
            query?: never;
            header?: {
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        id?: string;
                        data: string;
                    };
                };
            };
        };
    };
    post_admin_chat_sessions_session_id_close: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    get_notifications: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPage"];
                };
            };
        };
    };
    get_notifications_unread_count: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationCount"];
                };
            };
        };
    };
    post_notifications_read: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReadBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationCount"];
                };
            };
        };
    };
    get_admin_attention: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttentionPage"];
                };
            };
        };
    };
    get_admin_users: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                q?: string;
                role?: "creator" | "admin" | "stats_viewer" | "operator";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Users"];
                };
            };
        };
    };
    patch_admin_users_user_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagedUser"];
                };
            };
        };
    };
    post_admin_users_user_id_reset_link: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedResetLink"];
                };
            };
        };
    };
    post_admin_users_user_id_credit: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreditOrder"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Credit"];
                };
            };
        };
    };
    get_admin_users_user_id_transactions: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                user_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionPage"];
                };
            };
        };
    };
    get_admin_log: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
                action?: string;
                target?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminLog"];
                };
            };
        };
    };
    get_admin_stats: {
        parameters: {
            query?: {
                days?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stats"];
                };
            };
        };
    };
    get_admin_partners: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partners"];
                };
            };
        };
    };
    post_admin_partners: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PartnerOrder"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedPartner"];
                };
            };
        };
    };
    get_admin_partners_partner_name_keys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partner_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartnerKeys"];
                };
            };
        };
    };
    post_admin_partners_partner_name_keys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partner_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewPartnerKey"];
                };
            };
        };
    };
    delete_admin_partners_partner_name_keys_key_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                partner_name: string;
                key_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    get_admin_partners_partner_name_transactions: {
        parameters: {
            query?: {
                type?: "bet" | "sale" | "settlement" | "deposit" | "payout" | "withdrawal";
                external_user_id?: string;
                from?: string;
                to?: string;
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                partner_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartnerTransactions"];
                    "text/csv": string;
                };
            };
        };
    };
    post_admin_partners_partner_name_deposit: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                partner_name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FloatOrder"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FloatChange"];
                };
            };
        };
    };
    post_admin_partners_partner_name_payout: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                partner_name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FloatOrder"];
            };
        };
        responses: {
            201: {
                headers: {
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FloatChange"];
                };
            };
        };
    };
    put_events_event_id_image: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredImage"];
                };
            };
        };
    };
    delete_events_event_id_image: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                event_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Empty"];
                };
            };
        };
    };
    put_users_me_avatar: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    get_assets: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssetPage"];
                };
            };
        };
    };
    get_assets_symbol_price: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                symbol: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Asset"];
                };
            };
        };
    };
    get_assets_symbol_prices: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                symbol: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PricePage"];
                };
            };
        };
    };
    get_currency_rate: {
        parameters: {
            query: {
                from: string;
                to: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrencyRate"];
                };
            };
        };
    };
    put_admin_assets_symbol: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                symbol: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AssetBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Asset"];
                };
            };
        };
    };
    get_admin_currency_rates: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredRatePage"];
                };
            };
        };
    };
    put_admin_currency_rates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CurrencyRate"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrencyRate"];
                };
            };
        };
    };
    get_ws_trades: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    get_ws_live: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
}
